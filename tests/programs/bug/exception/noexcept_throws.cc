// An exception leaves a noexcept function: the caller would catch it, but std::terminate comes
// first. It is thrown only if the queue was closed before the push.
#include <mutex>
#include <stdexcept>
#include <thread>

namespace {

std::mutex mutex;
bool closed = false;
int size = 0;

void push_checked() {
  std::lock_guard guard(mutex);
  if (closed) throw std::logic_error("the queue is closed");  // <- bug: fails
  ++size;
}  // <- bug: fails

// The guard is gone when the exception comes here: what is known then is where it is stopped.
void push() noexcept { push_checked(); }  // <- bug: fails

void produce() {
  try {
    push();
  } catch (const std::logic_error&) {
  }
}

void close_queue() {
  std::lock_guard guard(mutex);
  closed = true;
}

}  // namespace

int main() {
  std::thread producer(produce);
  std::thread closer(close_queue);
  producer.join();
  closer.join();
  return 0;
}
