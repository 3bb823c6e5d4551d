// Indexer: n threads enter four messages each into a hash table of 128 slots with compare-and-swap.
// There is 1 Mazurkiewicz trace for up to 11 threads, then 8, 64, 512 and 4096 for 12 to 15.
// arguments: 2
#include <atomic>
#include <cassert>
#include <cstdlib>
#include <thread>
#include <vector>

namespace {

constexpr int kSlots = 128;
constexpr int kMessages = 4;

std::atomic<int> table[kSlots];

void enter_messages(int thread_number) {
  for (int message = 1; message <= kMessages; ++message) {
    const int word = message * 11 + thread_number;
    int slot = word * 7 % kSlots;
    int expected = 0;
    while (!table[slot].compare_exchange_strong(expected, word)) {
      slot = (slot + 1) % kSlots;
      expected = 0;
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 2;
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back(enter_messages, i);
  for (std::thread& thread : threads) thread.join();
  int used = 0;
  for (const std::atomic<int>& slot : table) used += slot != 0 ? 1 : 0;
  assert(used == count * kMessages);
  return 0;
}
