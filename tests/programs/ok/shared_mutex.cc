// std::shared_mutex: readers with shared_lock see both halves of every write; the try variants fail
// while the lock is held the wrong way.
#include <cassert>
#include <mutex>
#include <shared_mutex>
#include <thread>

namespace {

std::shared_mutex mutex;
int first = 0;
int second = 0;

void read_value() {
  std::shared_lock lock(mutex);
  assert(first == second);
}

void write_value() {
  std::unique_lock lock(mutex);
  ++first;
  ++second;
}

void try_from_another_thread(bool shared_expected) {
  std::thread thread([shared_expected] {
    const bool exclusive = mutex.try_lock();
    assert(!exclusive);
    const bool shared = mutex.try_lock_shared();
    assert(shared == shared_expected);
    if (shared) mutex.unlock_shared();
  });
  thread.join();
}

}  // namespace

int main() {
  std::thread reader(read_value);
  std::thread writer(write_value);
  read_value();
  reader.join();
  writer.join();
  assert(first == 1 && second == 1);

  mutex.lock_shared();
  try_from_another_thread(true);
  mutex.unlock_shared();
  mutex.lock();
  try_from_another_thread(false);
  mutex.unlock();
  return 0;
}
