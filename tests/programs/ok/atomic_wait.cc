// Atomic wait and notify: on an int, which is a futex itself, and on a char and a 64-bit number,
// which wait through the library's table. Each change is followed by a notification.
#include <atomic>
#include <cassert>
#include <cstdint>
#include <thread>

namespace {

template <typename Integer>
void check() {
  std::atomic<Integer> request = 0;
  std::atomic<Integer> reply = 0;
  int message = 0;
  std::thread server([&] {
    request.wait(0);
    assert(message == 42);
    message = 43;
    reply = 1;
    reply.notify_all();
  });
  message = 42;
  request.store(1, std::memory_order_release);
  request.notify_one();
  reply.wait(0, std::memory_order_acquire);
  assert(message == 43);
  server.join();
}

}  // namespace

int main() {
  check<int>();
  check<char>();
  check<std::uint64_t>();
  return 0;
}
