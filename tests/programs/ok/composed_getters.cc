// Composed getters, fixed: the account offers the whole deposit as one locked operation. The bug
// twin is bug/assertion/composed_getters.cc.
#include <cassert>
#include <mutex>
#include <thread>

namespace {

class Account {
 public:
  int balance() {
    std::lock_guard guard(mutex_);
    return balance_;
  }
  void deposit(int amount) {
    std::lock_guard guard(mutex_);
    balance_ += amount;
  }

 private:
  std::mutex mutex_;
  int balance_ = 0;
};

Account account;

}  // namespace

int main() {
  std::thread one([] { account.deposit(10); });
  std::thread two([] { account.deposit(20); });
  one.join();
  two.join();
  assert(account.balance() == 30);
  return 0;
}
