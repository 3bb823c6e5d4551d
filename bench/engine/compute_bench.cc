// What code costs that computes between two points: processor time of one execution of
// compute_program under control, with races looked for, against the same program under
// -fsanitize=thread alone. Usage: compute_bench TOOL CONTROLLED NATIVE BENCHMARKS.md
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>

#include "measure.h"

namespace {

using namespace ricercar::bench;

double processor_seconds() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

double seconds_of(const std::string& command) {
  const double start = processor_seconds();
  if (std::system((command + " >/dev/null 2>&1").c_str()) != 0) {
    std::cerr << "failed: " << command << "\n";
    std::exit(1);
  }
  return processor_seconds() - start;
}

// Of one execution, without the start of the process and the first use of its memory.
double controlled_seconds(const std::string& tool, const std::string& program) {
  const auto executions = [&](const std::string& count) {
    const std::string command =
        tool + " run --quiet --strategy random --out /tmp --executions " + count + " " + program;
    return best_of(3, [&] { return seconds_of(command); });
  };
  return (executions("6") - executions("1")) / 5;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 5) {
    std::cerr << "usage: compute_bench TOOL CONTROLLED NATIVE BENCHMARKS.md\n";
    return 2;
  }
  const std::string native = std::string("setarch -R ") + arguments[3];
  const double tsan = best_of(5, [&] { return seconds_of(native); });
  const double ratio = controlled_seconds(arguments[1], arguments[2]) / tsan;
  char figure[64];
  std::snprintf(figure, sizeof figure, "%.2f times ThreadSanitizer's", ratio);
  const Row row{"an execution of two compressing threads, races looked for", figure,
                "at most what ThreadSanitizer takes", ratio <= 1};
  write_section(arguments[4], "compute",
                "## Code that computes\n\n" + machine() + "\n\n" + table({row}) + "\n");
  std::cout << figure << "\n";
  return 0;
}
