// After the timer of an animation in Mozilla: an atomicity violation.
//
// `checked-then-used`: the animation looks whether it has a timer, and then asks the timer for its
// delay. Both accesses are atomic; the pair is not. If the animation is stopped in between, the
// timer is gone, and a null pointer is followed.
#include <atomic>

#include "extract.h"

namespace hapset {
namespace {

constexpr int frames = 4;

struct Timer {
  std::atomic<int> delay_ms = 40;
};

Timer the_timer;
std::atomic<Timer*> timer = nullptr;
pthread_mutex_t timer_lock = PTHREAD_MUTEX_INITIALIZER;
std::atomic<int> shown = 0;
Statistics frame_times;
bool checked_then_used = false;

void update_timer_unlocked() {
  if (timer.load() == nullptr) return;
  timer.load()->delay_ms.store(20);
}

void update_timer() {
  if (checked_then_used) {
    update_timer_unlocked();
    return;
  }
  pthread_mutex_lock(&timer_lock);
  update_timer_unlocked();
  pthread_mutex_unlock(&timer_lock);
}

void stop() {
  pthread_mutex_lock(&timer_lock);
  timer.store(nullptr);
  pthread_mutex_unlock(&timer_lock);
}

void show_frames() {
  for (int i = 0; i < frames; ++i) {
    shown.fetch_add(1);
    frame_times.add(16);
  }
}

void* animate(void*) {
  update_timer();
  show_frames();
  return nullptr;
}

void* close_window(void*) {
  stop();
  show_frames();
  return nullptr;
}

}  // namespace
}  // namespace hapset

int main(int count, char** words) {
  using namespace hapset;
  checked_then_used = Arguments(count, words, {"checked-then-used"}).planted("checked-then-used");
  timer.store(&the_timer);
  const pthread_t animation = start(animate);
  const pthread_t window = start(close_window);
  join(animation);
  join(window);
  assert(shown.load() == 2 * frames);
  return 0;
}
