// Account, fixed: the checker asserts the right balance. Main still returns without joining: the
// threads are detached and use only objects that are never destroyed. The bug twin is
// bug/assertion/account.cc.
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
  if (deposited && withdrawn) assert(balance == 10 + 4 - 1);
}

}  // namespace

int main() {
  std::thread(deposit).detach();
  std::thread(withdraw).detach();
  std::thread(check).detach();
  return 0;
}
