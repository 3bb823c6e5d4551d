// Handshake ring: the consumer expects item k in its iteration k, but an iteration that finds the
// slot empty does nothing. One idle iteration, and the next item comes too late.
// arguments: 2
#include <atomic>
#include <cassert>
#include <cstdlib>
#include <thread>

namespace {

std::atomic<bool> full = false;
int slot = -1;

void produce(int rounds) {
  for (int k = 0; k < rounds; ++k) {
    if (full) continue;
    slot = k;
    full = true;
  }
}

void consume(int rounds) {
  for (int k = 0; k < rounds; ++k) {
    if (!full) continue;
    assert(slot == k);  // <- bug: fails
    full = false;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 2;
  std::thread producer(produce, rounds);
  std::thread consumer(consume, rounds);
  producer.join();
  consumer.join();
  return 0;
}
