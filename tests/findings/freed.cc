// One thread frees what another one may still use; the argument says what is used and how.
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <new>
#include <string>
#include <thread>

namespace {

struct Node {
  std::atomic<int> value = 0;
  int plain = 0;
  std::mutex mutex;
};

std::atomic<int> u, v;
std::atomic<Node*> handed_over;

void work(std::atomic<int>& counter) {
  counter = 1;
  counter = 2;
}

void use(Node* node, const std::string& how) {
  work(u);
  if (how == "atomic") node->value = 1;
  if (how == "plain") node->plain = 1;
  if (how == "twice") std::free(node);
}

void release(Node* node, const std::string& how) {
  work(v);
  if (how == "moved") {
    node = static_cast<Node*>(std::realloc(static_cast<void*>(node), 4096));
  }
  std::free(node);
}

// The last one to hold it should free it: whoever gives it away goes on using it.
void give_away(Node* node) {
  handed_over.store(node);
  node->value.fetch_add(1);
}

void take() {
  Node* node = handed_over.exchange(nullptr);
  std::free(node);
}

}  // namespace

int main(int count, char** arguments) {
  const std::string how = count > 1 ? arguments[1] : "atomic";
  Node* node = new (std::malloc(sizeof(Node))) Node;
  if (how == "given") {
    std::thread one(give_away, node);
    std::thread two(take);
    one.join();
    two.join();
    return 0;
  }
  std::thread one(use, node, how == "moved" ? "atomic" : how);
  std::thread two(release, node, how);
  one.join();
  two.join();
}
