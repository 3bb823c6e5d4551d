// std::timed_mutex and std::recursive_timed_mutex: try_lock, try_lock_for and try_lock_until fail
// while main holds the mutex; once it may be free, both answers are right.
#include <cassert>
#include <chrono>
#include <mutex>
#include <thread>

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

template <typename Mutex>
void check(Mutex& mutex) {
  int counter = 0;
  mutex.lock();
  std::thread refused([&mutex] {
    const steady_clock::time_point start = steady_clock::now();
    bool locked = mutex.try_lock();
    assert(!locked);
    locked = mutex.try_lock_for(milliseconds(1));
    assert(!locked);
    assert(steady_clock::now() >= start + milliseconds(1));
    locked = mutex.try_lock_until(steady_clock::now() + milliseconds(1));
    assert(!locked);
    assert(steady_clock::now() >= start + milliseconds(2));
  });
  refused.join();
  std::thread contender([&mutex, &counter] {
    std::unique_lock lock(mutex, milliseconds(1));
    if (!lock.owns_lock()) lock.lock();
    ++counter;
  });
  ++counter;
  mutex.unlock();
  contender.join();
  assert(counter == 2);
}

}  // namespace

int main() {
  std::timed_mutex timed;
  check(timed);
  std::recursive_timed_mutex recursive;
  check(recursive);
  recursive.lock();
  const bool locked_again = recursive.try_lock_for(milliseconds(1));
  assert(locked_again);
  recursive.unlock();
  recursive.unlock();
  return 0;
}
