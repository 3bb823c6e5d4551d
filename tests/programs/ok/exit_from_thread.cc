// A thread other than main calls exit(0) while main waits to join it; the exit handlers run in that
// thread. The bug twin is bug/exit/exit_from_thread.cc.
#include <cassert>
#include <cstdlib>
#include <thread>

namespace {

bool prepared = false;

void check() { assert(prepared); }

void finish() {
  prepared = true;
  std::exit(0);
}

}  // namespace

int main() {
  const int result = std::atexit(check);
  assert(result == 0);
  std::thread worker(finish);
  worker.join();
  return 1;
}
