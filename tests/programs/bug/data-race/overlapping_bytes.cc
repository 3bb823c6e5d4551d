// Overlapping bytes: one thread writes the second byte of a word while the other reads the whole
// word. Only accesses that overlap in part show it.
#include <cassert>
#include <cstdint>
#include <cstring>
#include <thread>

namespace {

unsigned char bytes[4] = {0, 0, 0, 0};

void write_byte() { bytes[1] = 1; }  // <- bug: writes

void read_word() {
  std::uint32_t word = 0;
  std::memcpy(&word, bytes, sizeof word);  // <- bug: reads
  assert(word == 0 || word == 0x100);
}

}  // namespace

int main() {
  std::thread writer(write_byte);
  std::thread reader(read_word);
  writer.join();
  reader.join();
  return 0;
}
