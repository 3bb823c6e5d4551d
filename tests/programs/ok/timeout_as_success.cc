// The result of the timed wait is looked at; after a time-out, main waits without a limit. The bug
// twin is bug/assertion/timeout_as_success.cc.
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace {

std::mutex mutex;
std::condition_variable answered;
int answer = 0;

bool is_answered() { return answer != 0; }

void compute() {
  std::lock_guard guard(mutex);
  answer = 42;
  answered.notify_one();
}

}  // namespace

int main() {
  std::thread computer(compute);
  {
    std::unique_lock lock(mutex);
    const bool in_time = answered.wait_for(lock, std::chrono::seconds(10), is_answered);
    if (!in_time) answered.wait(lock, is_answered);
    assert(answer == 42);
  }
  computer.join();
  return 0;
}
