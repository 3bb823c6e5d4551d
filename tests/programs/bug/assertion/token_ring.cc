// Token ring: three atomic blocks pass a value round a ring, in no particular order, and a checker
// asserts that all hold the same value once all are done. Any order but 1, 2, 3, and then the
// checker before main returns, shows it.
#include <cassert>
#include <mutex>
#include <thread>

namespace {

std::mutex mutex;
int x1 = 1;
int x2 = 2;
int x3 = 3;
bool done1 = false;
bool done2 = false;
bool done3 = false;

void pass_first() {
  std::lock_guard guard(mutex);
  x1 = (x3 + 1) % 4;
  done1 = true;
}

void pass_second() {
  std::lock_guard guard(mutex);
  x2 = x1;
  done2 = true;
}

void pass_third() {
  std::lock_guard guard(mutex);
  x3 = x2;
  done3 = true;
}

void check() {
  std::lock_guard guard(mutex);
  if (done1 && done2 && done3) assert(x1 == x2 && x2 == x3);  // <- bug: fails
}

}  // namespace

int main() {
  std::thread(pass_first).detach();
  std::thread(pass_second).detach();
  std::thread(pass_third).detach();
  std::thread(check).detach();
  return 0;
}
