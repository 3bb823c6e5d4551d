// Bit-fields: two threads write different fields, but adjacent bit-fields share one memory
// location, so the writes race.
#include <cassert>
#include <thread>

namespace {

struct Flags {
  unsigned first : 4;
  unsigned second : 4;
};

Flags flags = {0, 0};

void set_first() { flags.first = 1; }  // <- bug: reads, writes

void set_second() { flags.second = 2; }  // <- bug: reads, writes

}  // namespace

int main() {
  std::thread one(set_first);
  std::thread two(set_second);
  one.join();
  two.join();
  assert(flags.first <= 1 && flags.second <= 2);
  return 0;
}
