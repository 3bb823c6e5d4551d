// Composed getters: a deposit calls a locked getter and then a locked setter. Nothing races, but
// the pair is not atomic, and a deposit between them is lost.
#include <cassert>
#include <mutex>
#include <thread>

namespace {

class Account {
 public:
  int balance() {
    std::lock_guard guard(mutex_);
    return balance_;  // <- why: reads
  }                   // <- why: unlocks
  void set_balance(int balance) {
    std::lock_guard guard(mutex_);
    balance_ = balance;  // <- why: writes
  }

 private:
  std::mutex mutex_;
  int balance_ = 0;
};

Account account;

void deposit(int amount) { account.set_balance(account.balance() + amount); }

}  // namespace

int main() {
  std::thread one(deposit, 10);
  std::thread two(deposit, 20);
  one.join();
  two.join();
  assert(account.balance() == 30);  // <- bug: fails
  return 0;
}
