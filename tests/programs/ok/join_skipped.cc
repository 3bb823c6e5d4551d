// Main joins the worker on both paths. The bug twin is bug/leak/join_skipped.cc.
#include <pthread.h>

#include <atomic>

namespace {

std::atomic<bool> found = false;

void* search(void*) {
  found = true;
  return nullptr;
}

}  // namespace

int main() {
  pthread_t worker;
  pthread_create(&worker, nullptr, search, nullptr);
  const bool early = found;
  pthread_join(worker, nullptr);
  return early || found ? 0 : 1;
}
