// A race that makes an assertion fail in some orders.
#include <cassert>
#include <thread>

namespace {

int counter = 0;

void count() { ++counter; }

}  // namespace

int main() {
  std::thread one(count);
  std::thread other(count);
  one.join();
  other.join();
  assert(counter == 2);
  return 0;
}
