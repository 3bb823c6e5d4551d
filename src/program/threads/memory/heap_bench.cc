#include <benchmark/benchmark.h>

#include <cstdlib>

#include "threads/memory/heap.h"

namespace ricercar::inline threads {
namespace {

void allocate_and_release(benchmark::State& state) {
  const auto size = static_cast<std::size_t>(state.range(0));
  heap_freeze_base();
  int rounds = 0;
  for (auto _ : state) {
    void* block = heap_allocate(size, 16);
    benchmark::DoNotOptimize(block);
    heap_release(block);
    if (++rounds % 100 == 0) heap_rewind();
  }
  heap_rewind();
}
BENCHMARK(allocate_and_release)->Arg(24)->Arg(64)->Arg(200)->Arg(1000)->Arg(4096);

void allocate_and_release_in_one_execution(benchmark::State& state) {
  const auto size = static_cast<std::size_t>(state.range(0));
  heap_freeze_base();
  for (auto _ : state) {
    void* block = heap_allocate(size, 16);
    benchmark::DoNotOptimize(block);
    heap_release(block);
  }
  heap_rewind();
}
BENCHMARK(allocate_and_release_in_one_execution)->Arg(24)->Arg(64)->Arg(200);

void allocate_only(benchmark::State& state) {
  heap_freeze_base();
  int rounds = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(heap_allocate(48, 16));
    if (++rounds % 100 == 0) heap_rewind();
  }
  heap_rewind();
}
BENCHMARK(allocate_only);

void native_malloc_and_free(benchmark::State& state) {
  const auto size = static_cast<std::size_t>(state.range(0));
  for (auto _ : state) {
    void* block = std::malloc(size);
    benchmark::DoNotOptimize(block);
    std::free(block);
  }
}
BENCHMARK(native_malloc_and_free)->Arg(24)->Arg(1000);

// Ten small blocks in an execution, with and without the restart.
void tiny_execution(benchmark::State& state) {
  heap_freeze_base();
  for (auto _ : state) {
    void* blocks[10];
    for (void*& block : blocks) block = heap_allocate(40, 16);
    for (void* block : blocks) heap_release(block);
    if (state.range(0)) heap_rewind();
  }
  heap_rewind();
}
BENCHMARK(tiny_execution)->ArgName("rewind")->Arg(0)->Arg(1);

void resident_begin(benchmark::State& state) {
  heap_freeze_base();
  for (auto _ : state) {
    heap_begin_execution();
    heap_release(heap_allocate(40, 16));
  }
}
BENCHMARK(resident_begin);

void read_state(benchmark::State& state) {
  const auto block = reinterpret_cast<std::uint64_t>(heap_allocate(40, 16));
  for (auto _ : state) benchmark::DoNotOptimize(heap_state(block + 8));
}
BENCHMARK(read_state);

}  // namespace
}  // namespace ricercar::inline threads

BENCHMARK_MAIN();
