// std::atomic<std::shared_ptr>: two threads push to a list with compare-exchange and a third takes
// the whole list with exchange; nothing is lost, doubled or freed too early.
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>
#include <utility>

namespace {

struct Node {
  int value;
  std::shared_ptr<Node> next;
};

std::atomic<std::shared_ptr<Node>> head;

void push(int value) {
  auto node = std::make_shared<Node>(Node{value, nullptr});
  while (!head.compare_exchange_strong(node->next, node)) {
  }
}

int take_all() {
  int sum = 0;
  for (std::shared_ptr<Node> node = head.exchange(nullptr); node; node = node->next) {
    sum += node->value;
  }
  return sum;
}

}  // namespace

int main() {
  std::thread one(push, 1);
  std::thread two(push, 2);
  const int early = take_all();
  one.join();
  two.join();
  const int late = take_all();
  assert(early + late == 3);
  return 0;
}
