// A choice of the environment: whichever of three servers is chosen, the request is served. The bug
// twin is bug/assertion/choose.cc.
#include <ricercar/ricercar.h>

#include <atomic>
#include <cassert>
#include <thread>

namespace {

std::atomic<int> served[3];

void serve() {
  const int server = static_cast<int>(ricercar::choose(3));
  assert(server >= 0 && server < 3);
  ++served[server];
}

}  // namespace

int main() {
  std::thread one(serve);
  std::thread two(serve);
  one.join();
  two.join();
  assert(served[0] + served[1] + served[2] == 2);
  return 0;
}
