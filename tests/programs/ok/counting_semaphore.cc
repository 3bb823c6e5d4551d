// std::counting_semaphore and std::binary_semaphore: one consumer takes what two producers release;
// try_acquire and the timed variants fail on an empty semaphore. Each semaphore has a single
// acquirer.
#include <cassert>
#include <chrono>
#include <semaphore>
#include <thread>

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

std::counting_semaphore<4> items(0);
std::binary_semaphore answer(0);
int message = 0;

}  // namespace

int main() {
  std::thread one([] { items.release(); });
  std::thread two([] { items.release(2); });
  for (int i = 0; i < 3; ++i) items.acquire();
  one.join();
  two.join();
  bool acquired = items.try_acquire();
  assert(!acquired);
  acquired = items.try_acquire_for(milliseconds(1));
  assert(!acquired);
  acquired = items.try_acquire_until(steady_clock::now() + milliseconds(1));
  assert(!acquired);

  std::thread writer([] {
    message = 42;
    answer.release();
  });
  if (!answer.try_acquire_for(milliseconds(1))) answer.acquire();
  assert(message == 42);
  writer.join();
  return 0;
}
