// Both std::thread objects on the heap are joined and deleted. The bug twin is
// bug/leak/thread_object_leaked.cc.
#include <atomic>
#include <memory>
#include <thread>

namespace {

std::atomic<int> finished = 0;

void work() { ++finished; }

}  // namespace

int main() {
  const auto first = std::make_unique<std::thread>(work);
  const auto second = std::make_unique<std::thread>(work);
  first->join();
  second->join();
  return finished == 2 ? 0 : 1;
}
