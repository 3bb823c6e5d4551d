// After the timer thread of Mozilla: a deadlock at shut-down.
//
// `unlocked-notify`: the end is announced without the lock of the timer thread. If that happens
// after the timer thread has looked and before it waits, nobody wakes it up any more.
#include <atomic>

#include "extract.h"

namespace hapset {
namespace {

constexpr int timers = 5;

struct TimerThread {
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
  std::atomic<bool> is_ending = false;
  int rounds = 0;
};

TimerThread timer_thread;
Statistics released;
bool unlocked_notify = false;

void wait_for_end() {
  pthread_mutex_lock(&timer_thread.lock);
  while (!timer_thread.is_ending.load()) {
    ++timer_thread.rounds;
    pthread_cond_wait(&timer_thread.changed, &timer_thread.lock);
  }
  pthread_mutex_unlock(&timer_thread.lock);
}

void shut_down() {
  if (!unlocked_notify) pthread_mutex_lock(&timer_thread.lock);
  timer_thread.is_ending.store(true);
  pthread_cond_signal(&timer_thread.changed);
  if (!unlocked_notify) pthread_mutex_unlock(&timer_thread.lock);
}

void release_timers() {
  for (int i = 0; i < timers; ++i) released.add(1);
}

void* run_timers(void*) {
  wait_for_end();
  release_timers();
  return nullptr;
}

void* quit(void*) {
  shut_down();
  release_timers();
  return nullptr;
}

}  // namespace
}  // namespace hapset

int main(int count, char** words) {
  using namespace hapset;
  unlocked_notify = Arguments(count, words, {"unlocked-notify"}).planted("unlocked-notify");
  const pthread_t thread = start(run_timers);
  const pthread_t application = start(quit);
  join(thread);
  join(application);
  assert(released.total() == 2 * timers);
  return 0;
}
