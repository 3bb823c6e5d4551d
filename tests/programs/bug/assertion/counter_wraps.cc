// Treiber stack with a counter beside its head against the ABA problem. The counter has two bits: a
// pop that is preempted between reading head->next and its compare-and-swap does not notice that
// the other thread has changed the stack four times. One node is then handed out twice.
#include <atomic>
#include <cassert>
#include <thread>

namespace {

constexpr int kEmpty = 3;
constexpr int kCounterBits = 2;

std::atomic<int> next_of[3] = {1, 2, kEmpty};
std::atomic<int> head = 0;  // the node, and the counter above it
std::atomic<bool> handed_out[3];

int node_of(int value) { return value & 3; }
int after(int value, int node) {
  const int counter = ((value >> 2) + 1) & ((1 << kCounterBits) - 1);
  return node | counter << 2;
}

void push(int node) {
  handed_out[node] = false;
  int seen = head;
  do {
    next_of[node] = node_of(seen);
  } while (!head.compare_exchange_strong(seen, after(seen, node)));  // <- why: writes
}

int pop() {
  int seen = head;  // <- why: reads
  do {
    if (node_of(seen) == kEmpty) return kEmpty;
  } while (!head.compare_exchange_strong(seen, after(seen, next_of[node_of(seen)])));
  const bool was_handed_out = handed_out[node_of(seen)].exchange(true);
  assert(!was_handed_out);  // <- bug: fails
  return node_of(seen);
}

void pop_twice() {
  pop();
  pop();
}

void change_four_times() {
  const int node = pop();
  pop();
  pop();
  if (node != kEmpty) push(node);
}

}  // namespace

int main() {
  std::thread one(pop_twice);
  std::thread two(change_four_times);
  one.join();
  two.join();
  return 0;
}
