// A thread stores 1 and 2, and a signal comes to it. What the handler saw must not be the first
// argument: 0, 1 or 2, or 9 if it never ran.
#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <cassert>
#include <cstdlib>

namespace {

std::atomic<int> x;
int seen = 9;

void on_signal(int) { seen = x; }

void* store(void*) {
  x = 1;
  x = 2;
  return nullptr;
}

}  // namespace

int main(int count, char** arguments) {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  sigaction(SIGUSR1, &action, nullptr);
  pthread_t thread;
  pthread_create(&thread, nullptr, store, nullptr);
  pthread_kill(thread, SIGUSR1);
  pthread_join(thread, nullptr);
  assert(count < 2 || seen != std::atoi(arguments[1]));
  return 0;
}
