// Several mutexes at once: std::lock, std::scoped_lock and std::try_lock take all or none. The
// other thread takes only the last one, so the back-off of std::lock always ends.
#include <cassert>
#include <mutex>
#include <thread>

namespace {

std::mutex a;
std::mutex b;
std::mutex c;
int shared = 0;  // protected by c

void use_last() {
  std::lock_guard guard(c);
  ++shared;
}

void use_lock() {
  std::unique_lock first(a, std::defer_lock);
  std::unique_lock second(b, std::defer_lock);
  std::unique_lock third(c, std::defer_lock);
  std::lock(first, second, third);
  assert(first.owns_lock() && second.owns_lock() && third.owns_lock());
  ++shared;
}

void use_scoped_lock() {
  std::scoped_lock all(a, b, c);
  ++shared;
}

void use_try_lock() {
  const int failed = std::try_lock(a, b, c);
  assert(failed == -1 || failed == 2);
  if (failed == 2) return;
  std::lock_guard first(a, std::adopt_lock);
  std::lock_guard second(b, std::adopt_lock);
  std::lock_guard third(c, std::adopt_lock);
  ++shared;
}

void beside_user_of_last(void (*use)()) {
  std::thread other(use_last);
  use();
  other.join();
}

}  // namespace

int main() {
  beside_user_of_last(use_lock);
  assert(shared == 2);
  beside_user_of_last(use_scoped_lock);
  assert(shared == 4);
  beside_user_of_last(use_try_lock);
  assert(shared == 5 || shared == 6);
  return 0;
}
