// Code that computes between two points: two threads compress a block each (runs of matches found
// by a hash table, then a move-to-front transform and counts), as compressors do, and add up the
// sizes under a lock. Usage: compute_program [KILOBYTES]
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes make_text(std::size_t size, std::uint32_t seed) {
  Bytes text(size);
  std::uint32_t state = seed;
  for (std::size_t i = 0; i < size; ++i) {
    state = state * 1664525 + 1013904223;
    text[i] = static_cast<std::uint8_t>(i > 64 && (state >> 28) != 0 ? text[i - 1 - (state >> 27)]
                                                                     : state >> 24);
  }
  return text;
}

std::uint32_t hash_of(const std::uint8_t* at) {
  return ((at[0] | at[1] << 8 | at[2] << 16) * 2654435761u) >> 20;
}

// Literals, and pairs of length and distance.
Bytes find_matches(const Bytes& text) {
  std::vector<std::uint32_t> last(4096, 0);
  Bytes result;
  std::size_t i = 0;
  while (i + 3 < text.size()) {
    const std::uint32_t hash = hash_of(&text[i]);
    const std::size_t before = last[hash];
    last[hash] = static_cast<std::uint32_t>(i);
    std::size_t length = 0;
    while (before < i && i + length < text.size() && length < 255 &&
           text[before + length] == text[i + length]) {
      ++length;
    }
    if (length < 4) {
      result.push_back(text[i++]);
      continue;
    }
    result.push_back(static_cast<std::uint8_t>(length));
    result.push_back(static_cast<std::uint8_t>(i - before));
    i += length;
  }
  return result;
}

void move_to_front(Bytes& text) {
  std::array<std::uint8_t, 256> order;
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint8_t>(i);
  for (std::uint8_t& byte : text) {
    std::size_t place = 0;
    while (order[place] != byte) ++place;
    for (std::size_t i = place; i > 0; --i) order[i] = order[i - 1];
    order[0] = byte;
    byte = static_cast<std::uint8_t>(place);
  }
}

std::size_t bits_of(const Bytes& text) {
  std::array<std::uint32_t, 256> counts{};
  for (const std::uint8_t byte : text) ++counts[byte];
  std::size_t bits = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    std::size_t length = 1;
    while ((i >> length) != 0) ++length;
    bits += counts[i] * length;
  }
  return bits;
}

std::mutex mutex;
std::size_t total = 0;

void compress(std::size_t size, std::uint32_t seed) {
  Bytes matches = find_matches(make_text(size, seed));
  move_to_front(matches);
  const std::size_t bits = bits_of(matches);
  const std::lock_guard lock(mutex);
  total += bits;
}

}  // namespace

int main(int argument_count, char** arguments) {
  const std::size_t size = (argument_count > 1 ? std::strtoul(arguments[1], nullptr, 10) : 64)
                           << 10;
  std::thread one(compress, size, 1), two(compress, size, 2);
  one.join();
  two.join();
  std::printf("%zu\n", total / 8);
}
