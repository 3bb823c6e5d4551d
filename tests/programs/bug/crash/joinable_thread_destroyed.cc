// A joinable std::thread is destroyed: main joins the worker only if it has seen its result, and
// the destructor of a thread that was not joined calls std::terminate.
#include <atomic>
#include <thread>

namespace {

std::atomic<bool> finished = false;

}  // namespace

int main() {
  std::thread worker([] { finished = true; });
  if (finished) worker.join();  // <- bug: after
  return 0;                     // <- bug: fails
}  // <- bug: fails
