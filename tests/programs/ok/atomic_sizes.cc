// Atomics of 1, 2, 4 and 8 bytes, signed and unsigned, a pointer, a floating-point number and a
// small structure: every operation gives what two concurrent threads must add up to.
#include <atomic>
#include <cassert>
#include <cstdint>
#include <thread>

namespace {

template <typename Integer>
void check_integer() {
  std::atomic<Integer> sum = 0;
  std::atomic<Integer> bits = 0;
  const auto work = [&sum, &bits](Integer bit) {
    sum.fetch_add(3);
    sum.fetch_sub(1);
    bits.fetch_or(bit);
  };
  std::thread other(work, Integer{2});
  work(Integer{4});
  other.join();
  assert(sum.load() == 4);
  assert(bits.load() == 6);
  assert(bits.fetch_and(2) == 6);
  assert(bits.fetch_xor(3) == 2);
  assert(bits.exchange(9) == 1);
  Integer expected = 8;
  assert(!bits.compare_exchange_strong(expected, 5));
  assert(expected == 9);
  while (!bits.compare_exchange_weak(expected, 5)) {
  }
  assert(bits.load() == 5);
}

void check_pointer() {
  int array[3] = {1, 2, 3};
  std::atomic<int*> pointer = array;
  std::thread other([&pointer] { ++pointer; });
  ++pointer;
  other.join();
  assert(*pointer.load() == 3);
}

struct alignas(8) Pair {
  std::int32_t first;
  std::int32_t second;
};

void check_structure_and_float() {
  std::atomic<Pair> pair = Pair{1, 1};
  std::atomic<double> number = 1.0;
  std::thread other([&] {
    pair.store(Pair{2, 2});
    number.fetch_add(0.5);
  });
  const Pair seen = pair.load();
  assert(seen.first == seen.second);
  number.fetch_add(0.25);
  other.join();
  assert(number.load() == 1.75);
}

}  // namespace

int main() {
  check_integer<std::int8_t>();
  check_integer<std::uint8_t>();
  check_integer<std::int16_t>();
  check_integer<std::uint16_t>();
  check_integer<std::int32_t>();
  check_integer<std::uint32_t>();
  check_integer<std::int64_t>();
  check_integer<std::uint64_t>();
  check_pointer();
  check_structure_and_float();
  return 0;
}
