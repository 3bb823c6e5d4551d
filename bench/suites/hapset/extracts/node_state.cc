// After the nodes of a content tree in Mozilla: an order violation.
//
// `early-attach`: a node is attached to its parent before its state is set. A visitor that comes in
// between finds a node without a state, takes it for a finished one and fails.
#include "extract.h"

namespace hapset {
namespace {

constexpr int nodes = 3;
constexpr int visits = 3;

enum class State { none, loading, ready };

struct Node {
  State state = State::none;
  int children = 0;
};

struct Tree {
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  Node nodes[hapset::nodes];
  int attached = 0;
};

Tree tree;
Statistics layout;
bool early_attach = false;

void attach() {
  pthread_mutex_lock(&tree.lock);
  ++tree.attached;
  pthread_mutex_unlock(&tree.lock);
}

void set_state(int node, State state) {
  pthread_mutex_lock(&tree.lock);
  tree.nodes[node].state = state;
  pthread_mutex_unlock(&tree.lock);
}

void build(int node) {
  if (early_attach && node == 0) {
    attach();
    set_state(node, State::loading);
  } else {
    set_state(node, State::loading);
    attach();
  }
}

void* build_tree(void*) {
  for (int i = 0; i < nodes; ++i) {
    build(i);
    layout.add(1);
  }
  for (int i = 0; i < nodes; ++i) set_state(i, State::ready);
  return nullptr;
}

void* visit_tree(void*) {
  for (int i = 0; i < visits; ++i) {
    pthread_mutex_lock(&tree.lock);
    for (int node = 0; node < tree.attached; ++node) {
      assert(tree.nodes[node].state != State::none);
      ++tree.nodes[node].children;
    }
    pthread_mutex_unlock(&tree.lock);
    layout.add(1);
  }
  return nullptr;
}

}  // namespace
}  // namespace hapset

int main(int count, char** words) {
  using namespace hapset;
  early_attach = Arguments(count, words, {"early-attach"}).planted("early-attach");
  const pthread_t builder = start(build_tree);
  const pthread_t visitor = start(visit_tree);
  join(builder);
  join(visitor);
  assert(layout.total() == nodes + visits);
  return 0;
}
