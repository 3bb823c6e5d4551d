// Races that the source says are harmless: ranges of memory, and stretches without any report.
// Annotations outside of an execution (static constructors) hold for all of them.
#pragma once

#include <cstdint>

namespace ricercar::inline threads {

void benign_races_begin_execution();
void add_benign_race(std::uint64_t address, std::uint64_t size);
// AnnotateEnableRaceDetection: no race is reported while it is off.
void enable_race_reports(bool are_enabled);
bool is_benign_race(std::uint64_t address, std::uint64_t size);

}  // namespace ricercar::inline threads
