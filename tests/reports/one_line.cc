// Two threads are in one line of the program, in different parts of the library.
#include <thread>
#include <vector>

namespace {

std::vector<int> queue;

// clang-format off
void work(int thread) { if (thread == 0) queue.push_back(1); else if (queue.size() == 5) queue.clear(); }
// clang-format on

}  // namespace

int main() {
  std::thread one(work, 0);
  std::thread two(work, 1);
  one.join();
  two.join();
}
