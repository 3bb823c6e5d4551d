// Main would return 1 if the last ticket were sold twice, but the check and the sale are one
// critical section. The bug twin is bug/exit/main_returns_error.cc.
#include <mutex>
#include <thread>

namespace {

std::mutex mutex;
int tickets = 1;

void sell() {
  std::lock_guard guard(mutex);
  if (tickets > 0) --tickets;
}

}  // namespace

int main() {
  std::thread one(sell);
  std::thread two(sell);
  one.join();
  two.join();
  return tickets < 0 ? 1 : 0;
}
