// Nothing is wrong here.
#include <atomic>
#include <thread>

int main() {
  std::atomic<int> counter = 0;
  std::thread other([&counter] {
    for (int i = 0; i < 20; ++i) ++counter;
  });
  for (int i = 0; i < 20; ++i) ++counter;
  other.join();
  return counter == 40 ? 0 : 1;
}
