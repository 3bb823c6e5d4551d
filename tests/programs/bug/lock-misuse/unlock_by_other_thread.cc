// Unlock by another thread: a helper that sees the owner's flag unlocks the owner's mutex.
#include <pthread.h>

#include <atomic>
#include <thread>

namespace {

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
std::atomic<bool> locked = false;

void own() {
  pthread_mutex_lock(&mutex);  // <- why: locks
  locked = true;
  locked = false;
  pthread_mutex_unlock(&mutex);
}

void help() {
  if (locked) pthread_mutex_unlock(&mutex);  // <- bug: fails // <- why: fails
}

}  // namespace

int main() {
  std::thread owner(own);
  std::thread helper(help);
  owner.join();
  helper.join();
  return 0;
}
