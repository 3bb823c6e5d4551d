// The push may throw, is not noexcept, and its caller catches. The bug twin is
// bug/exception/noexcept_throws.cc.
#include <cassert>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace {

std::mutex mutex;
bool closed = false;
int size = 0;
int refused = 0;

void push() {
  std::lock_guard guard(mutex);
  if (closed) throw std::logic_error("the queue is closed");
  ++size;
}

void produce() {
  try {
    push();
  } catch (const std::logic_error&) {
    ++refused;
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
  assert(size + refused == 1);
  return 0;
}
