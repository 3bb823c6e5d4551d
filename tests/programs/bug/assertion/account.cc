// Account: once a deposit and a withdrawal are both done, a checker asserts a wrong balance. Main
// returns without joining, so the bug shows only if all three threads run, the checker last, before
// main returns.
#include <cassert>
#include <mutex>
#include <thread>

namespace {

std::mutex mutex;
int balance = 10;
bool deposited = false;
bool withdrawn = false;

void deposit() {
  std::lock_guard guard(mutex);
  balance += 4;
  deposited = true;
}

void withdraw() {
  std::lock_guard guard(mutex);
  balance -= 1;
  withdrawn = true;
}

void check() {
  std::lock_guard guard(mutex);
  if (deposited && withdrawn) assert(balance == 10 - 4 - 1);  // <- bug: fails
}

}  // namespace

int main() {
  std::thread(deposit).detach();
  std::thread(withdraw).detach();
  std::thread(check).detach();
  return 0;
}
