#include <benchmark/benchmark.h>

#include <memory>

#include "detect/data_race.h"

namespace ricercar::inline detect {
namespace {

constexpr std::uint64_t memory = 0x7f0000000000;
constexpr std::uint64_t mutex = 0x7f0000100000;

void SameEpochRead(benchmark::State& state) {
  auto detector = std::make_unique<RaceDetector>();
  std::uint64_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(detector->read(task_id(0), memory + 8 * (i++ % 256), 8, 1, 7));
  }
}
BENCHMARK(SameEpochRead);

void SameEpochWrite(benchmark::State& state) {
  auto detector = std::make_unique<RaceDetector>();
  std::uint64_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(detector->write(task_id(0), memory + 8 * (i++ % 256), 8, 1, 7));
  }
}
BENCHMARK(SameEpochWrite);

// Each access is in a new epoch, made at the end of a pass over the memory.
void NewEpochWrite(benchmark::State& state) {
  auto detector = std::make_unique<RaceDetector>();
  std::uint64_t i = 0;
  for (auto _ : state) {
    if (i % 256 == 0) detector->release(task_id(0), mutex);
    benchmark::DoNotOptimize(detector->write(task_id(0), memory + 8 * (i++ % 256), 8, 1, 7));
  }
}
BENCHMARK(NewEpochWrite);

void NewEpochReadThenWrite(benchmark::State& state) {
  auto detector = std::make_unique<RaceDetector>();
  std::uint64_t i = 0;
  for (auto _ : state) {
    if (i % 256 == 0) detector->release(task_id(0), mutex);
    benchmark::DoNotOptimize(detector->read(task_id(0), memory + 8 * (i % 256), 8, 1, i));
    benchmark::DoNotOptimize(detector->write(task_id(0), memory + 8 * (i++ % 256), 8, 1, 7));
  }
}
BENCHMARK(NewEpochReadThenWrite);

// Two tasks take turns under a lock: every access finds one of the other task.
void HandedOverWrite(benchmark::State& state) {
  auto detector = std::make_unique<RaceDetector>();
  detector->task_created(task_id(0), task_id(1));
  std::uint64_t i = 0;
  TaskId task = task_id(0);
  for (auto _ : state) {
    if (i % 256 == 0) {
      detector->release(task, mutex);
      task = task_id(1 - index(task));
      detector->acquire(task, mutex);
    }
    benchmark::DoNotOptimize(detector->write(task, memory + 8 * (i++ % 256), 8, 1, 7));
  }
}
BENCHMARK(HandedOverWrite);

// The first access of each granule in an execution.
void FirstAccess(benchmark::State& state) {
  auto detector = std::make_unique<RaceDetector>();
  std::uint64_t i = 0;
  for (auto _ : state) {
    if (i % 256 == 0) detector->begin_execution();
    benchmark::DoNotOptimize(detector->write(task_id(0), memory + 8 * (i++ % 256), 8, 1, 7));
  }
}
BENCHMARK(FirstAccess);

// Four tasks read what one wrote: more accesses than a cell holds.
void ManyReaders(benchmark::State& state) {
  auto detector = std::make_unique<RaceDetector>();
  for (std::uint32_t i = 0; i < 64; ++i) detector->write(task_id(0), memory + 8 * i, 8, 1, 0);
  for (std::uint32_t i = 1; i <= 4; ++i) detector->task_created(task_id(0), task_id(i));
  std::uint64_t i = 0;
  for (auto _ : state) {
    const TaskId task = task_id(1 + (i / 64) % 4);
    if (i % 64 == 0) detector->release(task, mutex + index(task));
    benchmark::DoNotOptimize(detector->read(task, memory + 8 * (i++ % 64), 8, 1, 7));
  }
}
BENCHMARK(ManyReaders);

void LockAndUnlock(benchmark::State& state) {
  auto detector = std::make_unique<RaceDetector>();
  for (std::uint32_t i = 1; i < 4; ++i) detector->task_created(task_id(0), task_id(i));
  std::uint32_t i = 0;
  for (auto _ : state) {
    const TaskId task = task_id(i++ % 4);
    detector->acquire(task, mutex);
    detector->release(task, mutex);
  }
}
BENCHMARK(LockAndUnlock);

void AtomicUpdate(benchmark::State& state) {
  const auto order = static_cast<Order>(state.range(0));
  auto detector = std::make_unique<RaceDetector>();
  for (std::uint32_t i = 1; i < 4; ++i) detector->task_created(task_id(0), task_id(i));
  std::uint32_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(detector->atomic_update(task_id(i++ % 4), memory, 4, order, 1, 7));
  }
}
BENCHMARK(AtomicUpdate)->Arg(0)->Arg(5);

void BeginTinyExecution(benchmark::State& state) {
  auto detector = std::make_unique<RaceDetector>();
  for (auto _ : state) detector->begin_execution();
}
BENCHMARK(BeginTinyExecution);

// Two tasks, six atomic operations, one plain access of each task under a lock.
void TinyExecution(benchmark::State& state) {
  auto detector = std::make_unique<RaceDetector>();
  for (auto _ : state) {
    detector->begin_execution();
    for (std::uint32_t task = 1; task <= 2; ++task) {
      detector->task_created(task_id(0), task_id(task));
    }
    for (std::uint32_t task = 1; task <= 2; ++task) {
      for (std::uint32_t i = 0; i < 3; ++i) {
        detector->atomic_update(task_id(task), memory, 4, Order::seq_cst, 1, i);
      }
      detector->acquire(task_id(task), mutex);
      detector->write(task_id(task), memory + 64, 8, 1, 1);
      detector->release(task_id(task), mutex);
    }
    for (std::uint32_t task = 1; task <= 2; ++task)
      detector->task_joined(task_id(0), task_id(task));
  }
}
BENCHMARK(TinyExecution);

void AllocateAndFree(benchmark::State& state) {
  const auto size = static_cast<std::uint64_t>(state.range(0));
  auto detector = std::make_unique<RaceDetector>();
  for (auto _ : state) {
    detector->allocated(memory, size);
    detector->write(task_id(0), memory, 8, 1, 1);
    detector->freed(task_id(0), memory, size, 1, 1);
  }
}
BENCHMARK(AllocateAndFree)->Arg(64)->Arg(1 << 20);

}  // namespace
}  // namespace ricercar::inline detect

BENCHMARK_MAIN();
