// Timed waits in a loop: a heartbeat waits with a time-out again and again, counts the beats, and
// stops when told to.
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace {

std::mutex mutex;
std::condition_variable changed;
bool stop = false;
int beats = 0;

void beat() {
  std::unique_lock lock(mutex);
  while (!stop) {
    if (changed.wait_for(lock, std::chrono::milliseconds(1)) == std::cv_status::timeout) ++beats;
  }
}

}  // namespace

int main() {
  std::thread heart(beat);
  {
    std::lock_guard guard(mutex);
    stop = true;
  }
  changed.notify_one();
  heart.join();
  assert(beats >= 0);
  return 0;
}
