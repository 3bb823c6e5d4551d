// Main returns 1 if a locked check-then-act sold the last ticket twice: both sellers look before
// either sells.
#include <mutex>
#include <thread>

namespace {

std::mutex mutex;
int tickets = 1;

bool available() {
  std::lock_guard guard(mutex);
  return tickets > 0;
}

void sell() {
  if (!available()) return;
  std::lock_guard guard(mutex);
  --tickets;
}

}  // namespace

int main() {
  std::thread one(sell);
  std::thread two(sell);
  one.join();
  two.join();
  return tickets < 0 ? 1 : 0;  // <- bug: after
}  // <- bug: after
