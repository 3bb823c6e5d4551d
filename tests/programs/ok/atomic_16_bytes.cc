// An atomic of 16 bytes, a pointer and its version: two threads put in the next version by
// compare-exchange. Correct: none is lost. The bug twin is bug/assertion/atomic_16_bytes.cc.
// libraries: -latomic
#include <atomic>
#include <cassert>
#include <cstdint>
#include <thread>

namespace {

struct alignas(16) Versioned {
  void* pointer = nullptr;
  std::uint64_t version = 0;
};

std::atomic<Versioned> head;

void push() {
  Versioned before = head.load();
  Versioned next;
  do {
    next = before;
    ++next.version;
  } while (!head.compare_exchange_strong(before, next));
}

}  // namespace

int main() {
  std::thread one(push);
  std::thread two(push);
  one.join();
  two.join();
  assert(head.load().version == 2);
  return 0;
}
