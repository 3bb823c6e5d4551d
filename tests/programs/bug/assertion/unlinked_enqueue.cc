// Unlinked enqueue: an enqueue first swaps the tail and links its node afterwards. In between, a
// dequeue takes the missing link for an empty queue although another item has been enqueued, and
// that item is left behind.
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
std::atomic<Node*> tail = &sentinel;
std::mutex head_mutex;
Node* head = &sentinel;
std::atomic<int> taken = 0;

void enqueue(Node* node) {
  Node* const previous = tail.exchange(node);
  previous->next = node;
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
  assert(taken == 2);  // <- bug: fails
  return 0;
}
