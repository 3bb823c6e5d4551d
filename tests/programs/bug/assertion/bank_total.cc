// A bank adds up its accounts one after the other, each under its own lock. A transfer that
// comes in between is seen in one of them and not in the other.
#include <cassert>
#include <mutex>
#include <thread>

namespace {

struct Account {
  std::mutex mutex;
  long balance = 100;
};

Account first;
Account last;

void transfer(long amount) {
  {
    std::lock_guard guard(first.mutex);
    first.balance -= amount;  // <- why: writes
  }
  std::lock_guard guard(last.mutex);
  last.balance += amount;  // <- why: writes
}

long total() {
  long sum = 0;
  {
    std::lock_guard guard(first.mutex);
    sum += first.balance;  // <- why: reads
  }
  std::lock_guard guard(last.mutex);
  return sum + last.balance;  // <- why: reads
}

}  // namespace

int main() {
  std::thread clerk(transfer, 30);
  const long sum = total();
  clerk.join();
  assert(sum == 200);  // <- bug: fails
  return 0;
}
