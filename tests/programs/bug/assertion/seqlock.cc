// Sequence lock: the reader checks that the sequence is even before it reads two words, and not
// again afterwards; a write that starts in between tears the pair.
#include <atomic>
#include <cassert>
#include <thread>

namespace {

std::atomic<unsigned> sequence = 0;
std::atomic<int> first = 0;
std::atomic<int> second = 0;

void write_both() {
  ++sequence;
  first = 1;
  second = 1;
  ++sequence;
}

void read_both() {
  if (sequence % 2 != 0) return;
  const int seen_first = first;
  const int seen_second = second;
  assert(seen_first == seen_second);  // <- bug: fails
}

}  // namespace

int main() {
  std::thread writer(write_both);
  std::thread reader(read_both);
  writer.join();
  reader.join();
  return 0;
}
