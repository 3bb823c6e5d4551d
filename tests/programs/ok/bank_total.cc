// A bank adds up its accounts while money moves between them: both are locked at once.
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
  std::scoped_lock guard(first.mutex, last.mutex);
  first.balance -= amount;
  last.balance += amount;
}

long total() {
  std::scoped_lock guard(first.mutex, last.mutex);
  return first.balance + last.balance;
}

}  // namespace

int main() {
  std::thread clerk(transfer, 30);
  const long sum = total();
  clerk.join();
  assert(sum == 200);
  return 0;
}
