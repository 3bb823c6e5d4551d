// std::barrier with a completion function: it runs once in each phase, after all have arrived and
// before any goes on. One thread drops out after the first phase.
#include <barrier>
#include <cassert>
#include <thread>

namespace {

int written[2] = {0, 0};
int sums[2] = {0, 0};
int phases = 0;

struct AddUp {
  void operator()() noexcept {
    sums[phases] = written[0] + written[1];
    ++phases;
  }
};

}  // namespace

int main() {
  std::barrier<AddUp> barrier(2);
  std::thread other([&barrier] {
    written[1] = 1;
    barrier.arrive_and_drop();
  });
  written[0] = 10;
  barrier.arrive_and_wait();
  assert(phases == 1);
  assert(sums[0] == 11);
  written[0] = 20;
  barrier.wait(barrier.arrive());
  assert(phases == 2);
  assert(sums[1] == 21);
  other.join();
  return 0;
}
