// Figure 2 of the paper on HaPSet: a thread waits in a loop, with a lock, for another one.
#include <mutex>
#include <thread>

namespace {

std::mutex mutex;
int x = 0;

bool is_set() {
  const std::lock_guard<std::mutex> guard(mutex);  // b
  return x != 0;                                   // c
}

}  // namespace

int main() {
  std::thread waiting([] {
    while (!is_set()) {
    }
  });
  std::thread setting([] {
    const std::lock_guard<std::mutex> guard(mutex);  // f
    x = 1;                                           // g
  });
  waiting.join();
  setting.join();
}
