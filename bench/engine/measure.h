// What the benchmarks share: time, figures with their bars, and the unit, a hand-over between two
// kernel threads on one core.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ricercar::bench {

double seconds_now();

// Seconds that one futex hand-over between two kernel threads takes, both pinned to the same core.
double handover_seconds();
// Seconds that one fork, exit and wait take in a small process.
double fork_seconds();

// The best of several rounds: on a shared machine everything but the fastest is noise.
double best_of(int rounds, const std::function<double()>& measure);

struct Row {
  std::string what;
  std::string figure;
  std::string bar;
  bool met;
};

// Writes a section of docs/BENCHMARKS.md between two marks, leaving the others alone.
void write_section(const std::string& path, const std::string& name, const std::string& text);
std::string table(const std::vector<Row>& rows);
std::string machine();

}  // namespace ricercar::bench
