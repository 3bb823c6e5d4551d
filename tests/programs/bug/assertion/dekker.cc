// Dekker's entry protocol, broken: a thread looks at the other's flag before it raises its own; if
// both look first, both enter.
#include <atomic>
#include <cassert>
#include <thread>

namespace {

std::atomic<bool> interested[2] = {false, false};
std::atomic<int> inside = 0;

void try_to_enter(int me) {
  if (interested[1 - me]) return;
  interested[me] = true;
  const int others_inside = inside.fetch_add(1);
  assert(others_inside == 0);  // <- bug: fails
  inside.fetch_sub(1);
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
