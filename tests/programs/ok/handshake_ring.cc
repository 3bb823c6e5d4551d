// Handshake ring, fixed: both sides count items, not iterations, so idle iterations do no harm. The
// bug twin is bug/assertion/handshake_ring.cc.
// arguments: 2
#include <atomic>
#include <cassert>
#include <cstdlib>
#include <thread>

namespace {

std::atomic<bool> full = false;
int slot = -1;

void produce(int rounds) {
  int produced = 0;
  for (int k = 0; k < rounds; ++k) {
    if (full) continue;
    slot = produced++;
    full = true;
  }
}

void consume(int rounds) {
  int consumed = 0;
  for (int k = 0; k < rounds; ++k) {
    if (!full) continue;
    assert(slot == consumed);
    ++consumed;
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
