// Group lock: the first member of a group takes the room and the last one gives it back, both while
// holding the lock of the counters. A group that waits for the room holds the lock that the other
// group needs to leave.
#include <mutex>
#include <thread>

namespace {

std::mutex counters;
std::mutex room;
int members[2] = {0, 0};
int visits = 0;

void enter(int group) {
  std::lock_guard guard(counters);         // <- why: locks
  if (++members[group] == 1) room.lock();  // <- bug: waits // <- why: locks, waits
}

void leave(int group) {
  std::lock_guard guard(counters);  // <- bug: waits // <- why: waits
  if (--members[group] == 0) room.unlock();
}

void visit(int group) {
  enter(group);
  ++visits;
  leave(group);
}

}  // namespace

int main() {
  std::thread red(visit, 0);
  std::thread blue(visit, 1);
  red.join();   // <- bug: waits
  blue.join();  // <- bug: waits
  return 0;
}
