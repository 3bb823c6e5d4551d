// An endless loop without any operation that a scheduler could see: the step of the loop is read
// after another thread has set it to zero.
// options: --hang 1
#include <atomic>
#include <thread>

namespace {

std::atomic<int> step = 1;

void count_to_ten() {
  const int mine = step;
  volatile int reached = 0;
  while (reached < 10) reached = reached + mine;  // <- bug: fails
}

void clear_step() { step = 0; }

}  // namespace

int main() {
  std::thread counter(count_to_ten);
  std::thread clearer(clear_step);
  counter.join();
  clearer.join();
  return 0;
}
