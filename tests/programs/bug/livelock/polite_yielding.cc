// Two polite threads at a door: each announces itself and then yields to the other if that one has
// arrived and not yet passed. If both announce themselves first, each lets the other go first for
// ever.
#include <atomic>
#include <thread>

namespace {

std::atomic<bool> arrived[2] = {false, false};
std::atomic<bool> passed[2] = {false, false};

void pass_door(int me) {
  const int other = 1 - me;
  arrived[me] = true;
  while (arrived[other] && !passed[other]) std::this_thread::yield();  // <- bug: spins
  passed[me] = true;
}

}  // namespace

int main() {
  std::thread one(pass_door, 0);
  std::thread two(pass_door, 1);
  one.join();  // <- bug: waits
  two.join();  // <- bug: waits
  return 0;
}
