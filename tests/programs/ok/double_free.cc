// Looking at the buffer and taking it away are one critical section, so one thread frees it. The
// bug twin is bug/use-after-free/double_free.cc.
#include <cstdlib>
#include <mutex>
#include <thread>
#include <utility>

namespace {

std::mutex mutex;
void* buffer = nullptr;

void release() {
  void* mine = nullptr;
  {
    std::lock_guard guard(mutex);
    mine = std::exchange(buffer, nullptr);
  }
  std::free(mine);
}

}  // namespace

int main() {
  buffer = std::malloc(100);
  std::thread one(release);
  std::thread two(release);
  one.join();
  two.join();
  return 0;
}
