// Two threads count in two plain variables without any order; the source says of only one of them
// that this is known. The repaired twin is ok/benign_race.cc.
#include <ricercar/ricercar.h>

#include <cassert>
#include <thread>

namespace {

int known = 0;
int unknown = 0;

void count() {
  ++known;
  ++unknown;  // <- bug: reads, writes
}

}  // namespace

int main() {
  ricercar::benign_race(known);
  std::thread other(count);
  count();
  other.join();
  assert(known > 0 && unknown > 0);
  return 0;
}
