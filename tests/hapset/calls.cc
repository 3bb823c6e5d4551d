// Where statements are called from: inlined calls, recursion, and frames that an exception leaves.
#include <stdexcept>
#include <thread>

namespace {

int shared = 0;

struct Resource {
  ~Resource() { asm volatile(""); }
};

inline __attribute__((always_inline)) void inlined() {
  shared += 1;  // inlined
}

__attribute__((noinline)) void throws(int depth) {
  const Resource resource;
  if (depth == 0) throw std::runtime_error("deep");
  throws(depth - 1);
  asm volatile("");
}

__attribute__((noinline)) void catches() {
  for (int i = 0; i < 3; ++i) {
    try {
      throws(3);
    } catch (const std::exception&) {
      shared += 2;  // caught
    }
  }
  inlined();  // call
}

__attribute__((noinline)) void recurses(int depth) {
  if (depth > 0) {
    recurses(depth - 1);  // recursion
    asm volatile("");
  } else {
    shared += 4;  // deepest
  }
}

}  // namespace

int main() {
  std::thread first([] { catches(); });      // first
  std::thread second([] { recurses(10); });  // second
  first.join();
  second.join();
}
