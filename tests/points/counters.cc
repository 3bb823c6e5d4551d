// Two threads share a counter under a lock, and a number without one. Nothing is wrong with it but
// a data race.
#include <mutex>
#include <thread>

namespace {

std::mutex lock;
int counter;
int number;

void count() {
  const std::lock_guard guard(lock);
  ++counter;
}

}  // namespace

int main() {
  std::thread one([] {
    number = 1;
    count();
    number = 2;
  });
  std::thread two([] {
    count();
    if (number == 3) ++counter;
  });
  one.join();
  two.join();
  return counter == 2 ? 0 : 1;
}
