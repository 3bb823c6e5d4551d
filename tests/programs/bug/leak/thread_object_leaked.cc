// A std::thread object on the heap that is forgotten: only the first of two workers is joined.
#include <atomic>
#include <thread>

namespace {

std::atomic<int> finished = 0;

void work() { ++finished; }

}  // namespace

int main() {
  std::thread* current = new std::thread(work);
  std::thread* const first = current;
  current = new std::thread(work);  // <- bug: creates
  first->join();
  delete first;
  return finished >= 1 ? 0 : 1;
}
