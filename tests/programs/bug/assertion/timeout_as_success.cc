// Time-out taken for success: the result of a timed wait is ignored, and the time-out comes before
// the answer.
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace {

std::mutex mutex;
std::condition_variable answered;
int answer = 0;

void compute() {
  std::lock_guard guard(mutex);
  answer = 42;
  answered.notify_one();
}

}  // namespace

int main() {
  std::thread computer(compute);
  std::unique_lock lock(mutex);
  answered.wait_for(lock, std::chrono::seconds(10), [] { return answer != 0; });
  const int seen = answer;
  lock.unlock();
  computer.join();
  assert(seen == 42);  // <- bug: fails
  return 0;
}
