// A thread joins itself: the cleaner joins the thread whose name it finds on the list, and that may
// be its own.
#include <pthread.h>

#include <atomic>

namespace {

std::atomic<bool> listed = false;

void* clean(void*) {
  if (listed) pthread_join(pthread_self(), nullptr);  // <- bug: fails
  return nullptr;
}

}  // namespace

int main() {
  pthread_t cleaner;
  pthread_create(&cleaner, nullptr, clean, nullptr);
  listed = true;
  pthread_join(cleaner, nullptr);
  return 0;
}
