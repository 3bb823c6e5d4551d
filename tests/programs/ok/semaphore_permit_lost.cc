// The permit is given back on every path. The bug twin is bug/deadlock/semaphore_permit_lost.cc.
#include <semaphore.h>

#include <cassert>
#include <thread>

namespace {

sem_t permit;
int work_left = 1;

void use() {
  sem_wait(&permit);
  if (work_left > 0) --work_left;
  sem_post(&permit);
}

void add_work() {
  sem_wait(&permit);
  ++work_left;
  sem_post(&permit);
}

}  // namespace

int main() {
  sem_init(&permit, 0, 1);
  std::thread one(use);
  std::thread two(use);
  add_work();
  one.join();
  two.join();
  assert(work_left == 0 || work_left == 1);
  return 0;
}
