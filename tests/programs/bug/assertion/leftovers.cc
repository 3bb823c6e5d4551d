// Two threads count; how often they touch another atomic depends on memory that nobody has given a
// value. It is the same in every execution and in a replay, so the lost update comes again.
#include <atomic>
#include <cassert>
#include <cstdlib>
#include <thread>

namespace {

std::atomic<int> counter = 0;
std::atomic<int> noise = 0;

// Never given a value, on the stack and on the heap.
__attribute__((noinline)) unsigned sum(volatile unsigned* words, int count) {
  unsigned result = 0;
  for (int i = 0; i < count; ++i) result = result * 31 + words[i];
  return result;
}
__attribute__((noinline)) unsigned leftovers() {
  unsigned words[24];
  auto* block = static_cast<unsigned*>(std::malloc(96));
  const unsigned result = sum(words, 24) ^ sum(block, 24);
  std::free(block);
  return result;
}

void add() {
  for (unsigned i = leftovers() % 3; i > 0; --i) noise.fetch_add(1);
  const int seen = counter.load();  // <- why: reads
  counter.store(seen + 1);          // <- why: writes
  for (unsigned i = leftovers() % 5; i > 0; --i) noise.fetch_add(1);
}

}  // namespace

int main() {
  std::thread one(add), two(add);
  one.join();
  two.join();
  assert(counter.load() == 2);  // <- bug: fails
}
