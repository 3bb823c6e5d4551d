// Lost permit: a user that finds nothing to do returns without giving its permit back, and the
// thread that would bring more work waits for ever.
#include <semaphore.h>

#include <thread>

namespace {

sem_t permit;
int work_left = 1;

void use() {
  sem_wait(&permit);  // <- bug: waits // <- why: takes
  if (work_left == 0) return;
  --work_left;
  sem_post(&permit);
}

void add_work() {
  sem_wait(&permit);  // <- bug: waits // <- why: waits
  ++work_left;
  sem_post(&permit);
}

}  // namespace

int main() {
  sem_init(&permit, 0, 1);
  std::thread one(use);
  std::thread two(use);
  add_work();
  one.join();  // <- bug: waits
  two.join();  // <- bug: waits
  return 0;
}
