// One shared_ptr object for two threads: the count is atomic, the pointer is not. One thread copies
// it while the other assigns to it.
#include <cassert>
#include <memory>
#include <thread>

namespace {

std::shared_ptr<int> first = std::make_shared<int>(1);
std::shared_ptr<int> second = first;  // keeps the first object alive
std::shared_ptr<int> current = first;

void copy() {
  const std::shared_ptr<int> mine = current;  // <- bug: reads
  assert(*mine == 1);
}

void assign() { current = second; }  // <- bug: writes

}  // namespace

int main() {
  std::thread one(copy);
  std::thread two(assign);
  one.join();
  two.join();
  return 0;
}
