// The time of an execution that ends with a restore. Measured in a child: the benchmark's own state
// must not be restored.
#include <benchmark/benchmark.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <map>
#include <string>

#include "threads/memory/memory_fixture.h"

namespace {

constexpr int rounds = 20000;
std::map<int, std::string> table;
int counter;
volatile char large[16 << 20];

using Body = void (*)();

void nothing() {}
void little() {
  ++counter;
  for (int i = 0; i < 9; ++i) table[i] = "entry";
}
void print() {
  little();
  printf("result %d\n", counter);
}
void touch_large() {
  for (int i = 0; i < 4; ++i) large[i << 20] = 1;
}

double nanoseconds_per_round(Body body, bool restoring) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < rounds; ++i) {
    body();
    if (restoring) ricercar::fixture::restore();
  }
  const std::chrono::duration<double, std::nano> elapsed = std::chrono::steady_clock::now() - start;
  return elapsed.count() / rounds;
}

double measure(Body body, ricercar::SnapshotStats& stats) {
  int ends[2];
  if (pipe(ends) != 0) return 0;
  if (syscall(SYS_fork) == 0) {
    ricercar::fixture::take();
    nanoseconds_per_round(body, true);
    const double result = nanoseconds_per_round(body, true);
    const ricercar::SnapshotStats now = ricercar::fixture::stats();
    if (write(ends[1], &result, sizeof result) < 0 || write(ends[1], &now, sizeof now) < 0) {
      _exit(1);
    }
    _exit(0);
  }
  double result = 0;
  if (read(ends[0], &result, sizeof result) < 0 || read(ends[0], &stats, sizeof stats) < 0) {
    return 0;
  }
  wait(nullptr);
  close(ends[0]);
  close(ends[1]);
  return result;
}

void restore_after(benchmark::State& state, Body body) {
  ricercar::SnapshotStats stats{};
  for (auto _ : state) state.SetIterationTime(measure(body, stats) * 1e-9);
  state.counters["bytes"] = static_cast<double>(stats.bytes);
  state.counters["copied"] = static_cast<double>(stats.copied_bytes);
  state.counters["hot_pages"] = static_cast<double>(stats.hot_pages);
  state.counters["tracked"] = static_cast<double>(stats.tracked_bytes);
}
BENCHMARK_CAPTURE(restore_after, nothing, nothing)->UseManualTime()->Iterations(5);
BENCHMARK_CAPTURE(restore_after, little, little)->UseManualTime()->Iterations(5);
BENCHMARK_CAPTURE(restore_after, print, print)->UseManualTime()->Iterations(5);
BENCHMARK_CAPTURE(restore_after, touch_large, touch_large)->UseManualTime()->Iterations(5);

}  // namespace

BENCHMARK_MAIN();
