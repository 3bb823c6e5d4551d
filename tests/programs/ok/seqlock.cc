// Sequence lock, fixed: the reader uses what it has read only if the sequence has not changed
// meanwhile. The bug twin is bug/assertion/seqlock.cc.
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
  const unsigned before = sequence;
  if (before % 2 != 0) return;
  const int seen_first = first;
  const int seen_second = second;
  if (sequence != before) return;
  assert(seen_first == seen_second);
}

}  // namespace

int main() {
  std::thread writer(write_both);
  std::thread reader(read_both);
  writer.join();
  reader.join();
  return 0;
}
