// Bit-fields, fixed: a field of width zero separates them, so each is a memory location of its own.
// The bug twin is bug/data-race/bit_fields.cc.
#include <cassert>
#include <thread>

namespace {

struct Flags {
  unsigned char first : 4;
  unsigned char : 0;
  unsigned char second : 4;
};

Flags flags = {0, 0};

void set_first() { flags.first = 1; }

void set_second() { flags.second = 2; }

}  // namespace

int main() {
  std::thread one(set_first);
  std::thread two(set_second);
  one.join();
  two.join();
  assert(flags.first == 1 && flags.second == 2);
  return 0;
}
