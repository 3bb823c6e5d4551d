// Two polite threads in a corridor, fixed: only one of them is polite; the other keeps its flag up
// and waits for its turn. The bug twin is bug/livelock/corridor.cc.
#include <atomic>
#include <cassert>
#include <thread>

namespace {

std::atomic<bool> interested[2] = {false, false};
std::atomic<int> inside = 0;

void pass() {
  const int others_inside = inside.fetch_add(1);
  assert(others_inside == 0);
  inside.fetch_sub(1);
}

void pass_with_priority() {
  interested[0] = true;
  while (interested[1]) std::this_thread::yield();
  pass();
  interested[0] = false;
}

void pass_politely() {
  while (true) {
    interested[1] = true;
    if (!interested[0]) break;
    interested[1] = false;
    while (interested[0]) std::this_thread::yield();
  }
  pass();
  interested[1] = false;
}

}  // namespace

int main() {
  std::thread one(pass_with_priority);
  std::thread two(pass_politely);
  one.join();
  two.join();
  return 0;
}
