// What a node pays for what is written down of it. Prints a line for each measurement: KIND
// NANOSECONDS.
//
//   block  one basic block, the average of a thousand; what the compiler calls is called directly
//   event  one report of a value, the average of ten
#include <ricercar/log.h>

#include <cstdint>
#include <cstdio>

#include "dara/programs/real_time.h"

extern "C" void __sanitizer_cov_trace_pc();

namespace {

constexpr int measurements = 1000;
double nanoseconds[measurements];

template <typename Work>
void measure(const char* kind, double times, Work work) {
  for (double& each : nanoseconds) {
    const std::uint64_t start = real_nanoseconds();
    work();
    each = static_cast<double>(real_nanoseconds() - start) / times;
  }
  for (const double each : nanoseconds) std::printf("%s %.2f\n", kind, each);
}

// Four places in the code, as in the thesis's program.
void run_through_blocks() {
  for (int i = 0; i < 250; ++i) {
    __sanitizer_cov_trace_pc();
    __sanitizer_cov_trace_pc();
    __sanitizer_cov_trace_pc();
    __sanitizer_cov_trace_pc();
  }
}

}  // namespace

int main() {
  measure("block", 1000, run_through_blocks);
  std::int64_t number = 0;
  measure("event", 10, [&] {
    for (int i = 0; i < 10; ++i) ricercar::log("changed", "number", ++number);
  });
}
