// Two polite threads in a corridor: each that sees the other interested withdraws, yields and tries
// again. In lock-step both withdraw for ever.
#include <atomic>
#include <thread>

namespace {

std::atomic<bool> interested[2] = {false, false};

void pass_corridor(int me) {
  while (true) {
    interested[me] = true;           // <- bug: spins // <- why: writes
    if (!interested[1 - me]) break;  // <- bug: spins // <- why: reads
    interested[me] = false;          // <- bug: spins
    std::this_thread::yield();       // <- bug: spins
  }
  interested[me] = false;
}

}  // namespace

int main() {
  std::thread one(pass_corridor, 0);
  std::thread two(pass_corridor, 1);
  one.join();  // <- bug: waits
  two.join();  // <- bug: waits
  return 0;
}
