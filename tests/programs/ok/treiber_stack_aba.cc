// Treiber stack, ABA, fixed: the head carries a version that every change increases, so a head that
// went away and came back is not mistaken for the old one. The bug twin is
// bug/assertion/treiber_stack_aba.cc.
#include <atomic>
#include <cassert>
#include <cstdint>
#include <thread>

namespace {

constexpr std::int32_t kEmpty = -1;

struct alignas(8) Head {
  std::int32_t node;
  std::uint32_t version;
};

std::atomic<std::int32_t> next_of[3] = {1, 2, kEmpty};
std::atomic<Head> head = Head{0, 0};
std::atomic<bool> handed_out[3];

void push(std::int32_t node) {
  handed_out[node] = false;
  Head seen = head;
  do {
    next_of[node] = seen.node;
  } while (!head.compare_exchange_strong(seen, Head{node, seen.version + 1}));
}

std::int32_t pop() {
  Head seen = head;
  do {
    if (seen.node == kEmpty) return kEmpty;
  } while (!head.compare_exchange_strong(seen, Head{next_of[seen.node], seen.version + 1}));
  const bool was_handed_out = handed_out[seen.node].exchange(true);
  assert(!was_handed_out);
  return seen.node;
}

void pop_twice() {
  pop();
  pop();
}

void pop_twice_and_push() {
  const std::int32_t node = pop();
  pop();
  if (node != kEmpty) push(node);
}

}  // namespace

int main() {
  std::thread one(pop_twice);
  std::thread two(pop_twice_and_push);
  one.join();
  two.join();
  return 0;
}
