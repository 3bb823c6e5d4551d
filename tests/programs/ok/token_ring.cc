// Token ring, fixed: each block waits for its turn, so the value goes round in order. Main joins
// all threads. The bug twin is bug/assertion/token_ring.cc.
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace {

std::mutex mutex;
std::condition_variable turn_changed;
int turn = 1;
int x1 = 1;
int x2 = 2;
int x3 = 3;

template <typename Block>
void run_at_turn(int mine, Block block) {
  std::unique_lock lock(mutex);
  turn_changed.wait(lock, [mine] { return turn == mine; });
  block();
  ++turn;
  turn_changed.notify_all();
}

void check() {
  std::lock_guard guard(mutex);
  if (turn == 4) assert(x1 == x2 && x2 == x3);
}

}  // namespace

int main() {
  std::thread first([] { run_at_turn(1, [] { x1 = (x3 + 1) % 4; }); });
  std::thread second([] { run_at_turn(2, [] { x2 = x1; }); });
  std::thread third([] { run_at_turn(3, [] { x3 = x2; }); });
  std::thread checker(check);
  first.join();
  second.join();
  third.join();
  checker.join();
  assert(x1 == 0 && x2 == 0 && x3 == 0);
  return 0;
}
