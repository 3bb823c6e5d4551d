// Unlinked enqueue, fixed: swapping the tail and linking the node are one critical section, so
// nobody sees a missing link. The bug twin is bug/assertion/unlinked_enqueue.cc.
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

namespace {

struct Node {
  std::atomic<Node*> next = nullptr;
};

Node sentinel;
Node nodes[2];
std::mutex tail_mutex;
Node* tail = &sentinel;
std::mutex head_mutex;
Node* head = &sentinel;
std::atomic<int> taken = 0;

void enqueue(Node* node) {
  std::lock_guard guard(tail_mutex);
  tail->next = node;
  tail = node;
}

bool dequeue() {
  std::lock_guard guard(head_mutex);
  Node* const next = head->next;
  if (next == nullptr) return false;
  head = next;
  return true;
}

void put_and_take(int index) {
  enqueue(&nodes[index]);
  if (dequeue()) ++taken;
}

}  // namespace

int main() {
  std::thread one(put_and_take, 0);
  std::thread two(put_and_take, 1);
  one.join();
  two.join();
  assert(taken == 2);
  return 0;
}
