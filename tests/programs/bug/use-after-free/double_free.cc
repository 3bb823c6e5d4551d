// Double free: two threads look at a buffer in one critical section and free it in another; both
// can find it still there.
#include <cstdlib>
#include <mutex>
#include <thread>

namespace {

std::mutex mutex;
void* buffer = nullptr;

void release() {
  void* mine = nullptr;
  {
    std::lock_guard guard(mutex);
    mine = buffer;
  }
  if (mine == nullptr) return;
  std::lock_guard guard(mutex);
  std::free(mine);  // <- bug: frees
  buffer = nullptr;
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
