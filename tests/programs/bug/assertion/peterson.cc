// Peterson's algorithm, broken: a thread gives the turn away before it raises its flag. If the
// other one enters in between, the late flag keeps nobody out and both are inside.
#include <atomic>
#include <cassert>
#include <thread>

namespace {

std::atomic<bool> interested[2] = {false, false};
std::atomic<int> turn = 0;
std::atomic<int> inside = 0;

// Looks twice and then gives up, so that every execution ends.
bool may_enter(int other) {
  for (int look = 0; look < 2; ++look) {
    if (!interested[other] || turn != other) return true;
  }
  return false;
}

void enter_and_leave(int me) {
  const int other = 1 - me;
  turn = other;
  interested[me] = true;
  if (may_enter(other)) {
    const int others_inside = inside.fetch_add(1);
    assert(others_inside == 0);  // <- bug: fails
    inside.fetch_sub(1);
  }
  interested[me] = false;
}

}  // namespace

int main() {
  std::thread one(enter_and_leave, 0);
  std::thread two(enter_and_leave, 1);
  one.join();
  two.join();
  return 0;
}
