// Two threads count in plain variables without any order, and the source says that this is known:
// by ricercar::benign_race, by dynamic annotations, in a static constructor, by switching reports
// off. Correct. The bug twin is bug/data-race/benign_race.cc.
#include <ricercar/ricercar.h>

#include <cassert>
#include <thread>

extern "C" {
void AnnotateBenignRaceSized(const char* file, int line, const volatile void* address,
                             unsigned long size, const char* why);
void AnnotateBenignRace(const char* file, int line, const volatile void* address, const char* why);
void AnnotateEnableRaceDetection(const char* file, int line, int enable);
}

namespace {

int first = 0;
int second[2] = {};
int third = 0;
int fourth = 0;
int fifth = 0;

struct Constructed {
  Constructed() { ricercar::benign_race(fourth); }
} constructed;

void count() {
  ++first;
  ++second[1];
  ++third;
  ++fourth;
  AnnotateEnableRaceDetection(__FILE__, __LINE__, 0);
  ++fifth;
}

}  // namespace

int main() {
  ricercar::benign_race(first);
  AnnotateBenignRaceSized(__FILE__, __LINE__, second, sizeof second, "statistics");
  AnnotateBenignRace(__FILE__, __LINE__, &third, "statistics");
  std::thread other(count);
  count();
  other.join();
  AnnotateEnableRaceDetection(__FILE__, __LINE__, 1);
  assert(first > 0 && second[1] > 0 && third > 0 && fourth > 0 && fifth > 0);
  return 0;
}
