// Dekker's entry protocol: each thread raises its flag and then looks at the other's; at least one
// of them sees the other and gives way. The bug twin is bug/assertion/dekker.cc.
#include <atomic>
#include <cassert>
#include <thread>

namespace {

std::atomic<bool> interested[2] = {false, false};
std::atomic<int> inside = 0;

void try_to_enter(int me) {
  interested[me] = true;
  if (!interested[1 - me]) {
    const int others_inside = inside.fetch_add(1);
    assert(others_inside == 0);
    inside.fetch_sub(1);
  }
  interested[me] = false;
}

}  // namespace

int main() {
  std::thread one(try_to_enter, 0);
  std::thread two(try_to_enter, 1);
  one.join();
  two.join();
  return 0;
}
