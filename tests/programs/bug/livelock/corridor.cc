// Two polite threads in a corridor: each that sees the other interested withdraws, yields and tries
// again. In lock-step both withdraw for ever.
#include <atomic>
#include <thread>

namespace {

std::atomic<bool> interested[2] = {false, false};

void pass_corridor(int me) {
  while (true) {
    interested[me] = true;
    if (!interested[1 - me]) break;
    interested[me] = false;
    std::this_thread::yield();
  }
  interested[me] = false;
}

}  // namespace

int main() {
  std::thread one(pass_corridor, 0);
  std::thread two(pass_corridor, 1);
  one.join();
  two.join();
  return 0;
}
