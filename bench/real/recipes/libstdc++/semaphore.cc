// Two threads take from a semaphore, main gives twice: nobody should be left behind.
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
