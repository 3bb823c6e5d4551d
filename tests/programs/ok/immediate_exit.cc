// _Exit with status 0 ends the program at once, with another thread blocked and without the exit
// handlers. The bug twin is bug/exit/immediate_exit.cc.
#include <cstdlib>
#include <mutex>
#include <thread>

namespace {

std::mutex mutex;

void fail() { std::abort(); }

}  // namespace

int main() {
  std::atexit(fail);
  std::lock_guard guard(mutex);
  std::thread([] { std::lock_guard inner_guard(mutex); }).detach();
  std::_Exit(0);
}
