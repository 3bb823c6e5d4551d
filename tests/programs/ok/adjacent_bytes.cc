// Adjacent bytes: four threads write neighbouring bytes of one word. Each byte is a memory location
// of its own, so nothing races. The bug twin is bug/data-race/bit_fields.cc.
#include <cassert>
#include <thread>

namespace {

struct Word {
  char bytes[2] = {0, 0};
  short number = 0;
};

Word word;

}  // namespace

int main() {
  std::thread one([] { word.bytes[0] = 1; });
  std::thread two([] { word.bytes[1] = 2; });
  std::thread three([] { word.number = 3; });
  one.join();
  two.join();
  three.join();
  assert(word.bytes[0] == 1 && word.bytes[1] == 2 && word.number == 3);
  return 0;
}
