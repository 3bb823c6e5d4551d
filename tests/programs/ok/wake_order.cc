// Order of waking, fixed: whoever is woken looks whether it is its turn, and all are told of every
// change. The bug twin is bug/assertion/wake_order.cc.
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace {

std::mutex mutex;
std::condition_variable changed;
int waiting = 0;
int tickets = 0;
int served = 0;

void queue_up(int place) {
  std::unique_lock lock(mutex);
  while (waiting != place) changed.wait(lock);
  ++waiting;
  changed.notify_all();
  while (tickets == 0 || served != place) changed.wait(lock);
  --tickets;
  ++served;
  changed.notify_all();
}

void add_ticket() {
  std::unique_lock lock(mutex);
  while (waiting < 2) changed.wait(lock);
  ++tickets;
  changed.notify_all();
}

}  // namespace

int main() {
  std::thread first(queue_up, 0);
  std::thread second(queue_up, 1);
  add_ticket();
  add_ticket();
  first.join();
  second.join();
  assert(served == 2);
  return 0;
}
