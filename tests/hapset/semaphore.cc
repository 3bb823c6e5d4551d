// Two threads take from a semaphore, main gives twice: nobody should be left behind. In the C++
// library of Debian 12 a wake-up can be lost.
#include <semaphore>
#include <thread>

int main() {
  std::counting_semaphore<2> items(0);
  std::thread first([&] { items.acquire(); });
  std::thread second([&] { items.acquire(); });
  items.release();
  items.release();
  first.join();
  second.join();
}
