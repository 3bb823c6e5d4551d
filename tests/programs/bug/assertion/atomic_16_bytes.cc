// An atomic of 16 bytes, a pointer and its version: two threads load it and store it with the next
// version. One of the two is lost if both load before one stores. The repaired twin is
// ok/atomic_16_bytes.cc.
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
  Versioned next = head.load();  // <- why: reads
  ++next.version;
  head.store(next);  // <- why: writes
}

}  // namespace

int main() {
  std::thread one(push);
  std::thread two(push);
  one.join();
  two.join();
  assert(head.load().version == 2);  // <- bug: fails
  return 0;
}
