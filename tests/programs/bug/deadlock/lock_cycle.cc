// Lock cycle: three threads take two of three locks each, in a ring; the deadlock needs all three
// to hold their first lock.
#include <mutex>
#include <thread>

namespace {

std::mutex locks[3];

void lock_two(int first, int second) {
  std::lock_guard first_guard(locks[first]);    // <- why: locks
  std::lock_guard second_guard(locks[second]);  // <- bug: waits // <- why: waits
}

}  // namespace

int main() {
  std::thread one(lock_two, 0, 1);
  std::thread two(lock_two, 1, 2);
  std::thread three(lock_two, 2, 0);
  one.join();    // <- bug: waits
  two.join();    // <- bug: waits
  three.join();  // <- bug: waits
  return 0;
}
