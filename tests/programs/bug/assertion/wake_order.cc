// Order of waking: two threads wait for tickets in a known order, and the program expects a signal
// to wake the one that came first. A signal may wake either.
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace {

std::mutex mutex;
std::condition_variable ticket_added;
std::condition_variable arrived;
int waiting = 0;
int tickets = 0;
int served = 0;

void queue_up(int place) {
  std::unique_lock lock(mutex);
  while (waiting != place) arrived.wait(lock);
  ++waiting;
  arrived.notify_all();
  while (tickets == 0) ticket_added.wait(lock);
  --tickets;
  assert(served == place);  // <- bug: fails
  ++served;
}

void add_ticket() {
  std::unique_lock lock(mutex);
  while (waiting < 2) arrived.wait(lock);
  ++tickets;
  ticket_added.notify_one();
}

}  // namespace

int main() {
  std::thread first(queue_up, 0);
  std::thread second(queue_up, 1);
  add_ticket();
  add_ticket();
  first.join();
  second.join();
  return 0;
}
