// Plain counter: two threads increment an int with nothing between them. Every schedule races.
#include <cassert>
#include <thread>

namespace {

int counter = 0;

void increment() { ++counter; }  // <- bug: reads, writes

}  // namespace

int main() {
  std::thread one(increment);
  std::thread two(increment);
  one.join();
  two.join();
  assert(counter == 1 || counter == 2);
  return 0;
}
