// Treiber stack, ABA: a pop that is preempted between reading head->next and its compare-and-swap
// does not notice that the other thread popped two nodes and pushed the first one back. One node is
// then handed out twice.
#include <atomic>
#include <cassert>
#include <thread>

namespace {

constexpr int kEmpty = -1;

std::atomic<int> next_of[3] = {1, 2, kEmpty};
std::atomic<int> head = 0;
std::atomic<bool> handed_out[3];

void push(int node) {
  handed_out[node] = false;
  int seen = head;
  do {
    next_of[node] = seen;
  } while (!head.compare_exchange_strong(seen, node));  // <- why: writes
}

int pop() {
  int seen = head;  // <- why: reads
  do {
    if (seen == kEmpty) return kEmpty;
  } while (!head.compare_exchange_strong(seen, next_of[seen]));  // <- why: writes
  const bool was_handed_out = handed_out[seen].exchange(true);
  assert(!was_handed_out);  // <- bug: fails
  return seen;
}

void pop_twice() {
  pop();
  pop();
}

void pop_twice_and_push() {
  const int node = pop();
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
