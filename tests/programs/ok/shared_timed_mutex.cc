// std::shared_timed_mutex: the timed variants fail after their time while main writes, shared ones
// succeed beside a reader.
#include <cassert>
#include <chrono>
#include <shared_mutex>
#include <thread>

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

std::shared_timed_mutex mutex;

void expect_refusal() {
  const steady_clock::time_point start = steady_clock::now();
  bool locked = mutex.try_lock_for(milliseconds(1));
  assert(!locked);
  locked = mutex.try_lock_shared_for(milliseconds(1));
  assert(!locked);
  locked = mutex.try_lock_until(steady_clock::now() + milliseconds(1));
  assert(!locked);
  locked = mutex.try_lock_shared_until(steady_clock::now() + milliseconds(1));
  assert(!locked);
  assert(steady_clock::now() >= start + milliseconds(4));
}

void read_beside_reader() {
  std::shared_lock lock(mutex, milliseconds(1));
  assert(lock.owns_lock());
}

}  // namespace

int main() {
  mutex.lock();
  std::thread refused(expect_refusal);
  refused.join();
  mutex.unlock();
  mutex.lock_shared();
  std::thread reader(read_beside_reader);
  reader.join();
  mutex.unlock_shared();
  const bool locked = mutex.try_lock();
  assert(locked);
  mutex.unlock();
  return 0;
}
