// Main joins the worker whether or not it has seen its result. The bug twin is
// bug/crash/joinable_thread_destroyed.cc.
#include <atomic>
#include <cassert>
#include <thread>

namespace {

std::atomic<bool> finished = false;

}  // namespace

int main() {
  std::thread worker([] { finished = true; });
  worker.join();
  assert(finished);
  return 0;
}
