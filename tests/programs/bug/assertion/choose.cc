// A choice of the environment: a request is served by one of three servers, of which the last one
// is broken.
#include <ricercar/ricercar.h>

#include <atomic>
#include <cassert>
#include <thread>

namespace {

std::atomic<int> served = 0;

void serve() {
  const int server = static_cast<int>(ricercar::choose(3));
  if (server < 2) ++served;
}

}  // namespace

int main() {
  std::thread one(serve);
  std::thread two(serve);
  one.join();
  two.join();
  assert(served == 2);  // <- bug: fails
  return 0;
}
