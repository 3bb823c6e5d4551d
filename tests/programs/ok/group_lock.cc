// Group lock, fixed: each group has a lock of its own for its counter, so a group that waits for
// the room keeps nobody from leaving it. The bug twin is bug/deadlock/group_lock.cc.
#include <cassert>
#include <mutex>
#include <thread>

namespace {

struct Group {
  std::mutex counter;
  int members = 0;
};

Group groups[2];
std::mutex room;
int visits = 0;

void enter(Group& group) {
  std::lock_guard guard(group.counter);
  if (++group.members == 1) room.lock();
}

void leave(Group& group) {
  std::lock_guard guard(group.counter);
  if (--group.members == 0) room.unlock();
}

void visit(int group) {
  enter(groups[group]);
  ++visits;
  leave(groups[group]);
}

}  // namespace

int main() {
  std::thread red(visit, 0);
  std::thread blue(visit, 1);
  red.join();
  blue.join();
  assert(visits == 2);
  return 0;
}
