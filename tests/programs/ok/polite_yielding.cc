// Two threads at a door, of which only the second is polite. The bug twin is
// bug/livelock/polite_yielding.cc.
#include <atomic>
#include <cassert>
#include <thread>

namespace {

std::atomic<bool> arrived[2] = {false, false};
std::atomic<bool> passed[2] = {false, false};

void pass_door(int me) {
  const int other = 1 - me;
  arrived[me] = true;
  if (me == 1) {
    while (arrived[other] && !passed[other]) std::this_thread::yield();
  }
  passed[me] = true;
}

}  // namespace

int main() {
  std::thread one(pass_door, 0);
  std::thread two(pass_door, 1);
  one.join();
  two.join();
  assert(passed[0] && passed[1]);
  return 0;
}
