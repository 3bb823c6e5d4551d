// Random executions: the race detector and the oracle must agree at every access.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "base/random.h"
#include "detect/data_race.h"
#include "detect/data_race_oracle.h"

namespace ricercar::inline detect {
namespace {

using Memory = RaceOracle::Memory;

constexpr std::uint64_t page_size = 4096;

// Sanitizers make everything ten times slower.
#ifdef RICERCAR_SANITIZED
constexpr std::uint32_t share = 5;
#else
constexpr std::uint32_t share = 1;
#endif
constexpr Order orders[] = {Order::relaxed, Order::consume, Order::acquire,
                            Order::release, Order::acq_rel, Order::seq_cst};

struct Shape {
  std::uint32_t operations = 60;
  // Most accesses are in the few bytes around the first page boundary of the memory.
  Memory memory = {0x7f0000000000, 2 * page_size};
  std::uint32_t busy_bytes = 32;
  bool ranges_span_pages = false;
  // Synchronisation by two atomics in memory of their own, and fences, and little else.
  bool atomics_are_apart = false;
  bool stops_at_first_race = false;
};

// One execution, run by the detector and the oracle side by side.
class RandomExecution {
 public:
  RandomExecution(RaceDetector& detector, const Shape& shape, std::uint64_t seed)
      : detector_(detector),
        shape_(shape),
        oracle_(shape.memory, shape.stops_at_first_race),
        random_(seed),
        max_tasks_(2 + random_.below(4)),
        sync_weight_(1 + random_.below(8)),
        write_rarity_(1 + random_.below(8)),
        undisciplined_(shape.atomics_are_apart || random_.below(4) == 0 ? 100
                                                                        : 2 + random_.below(30)) {}

  // Returns whether there was a race.
  bool run() {
    detector_.begin_execution();
    for (std::uint32_t i = 0; i < shape_.operations && !has_failed_; ++i) {
      if (has_raced_ && shape_.stops_at_first_race) break;
      disciplined_step(any_task());
    }
    return has_raced_;
  }

  bool has_failed() const { return has_failed_; }

 private:
  TaskId any_task() { return tasks_[random_.below(static_cast<std::uint32_t>(tasks_.size()))]; }
  Order any_order() { return orders[random_.below(6)]; }

  // Without a lock around most of them few executions would get far without a race.
  void disciplined_step(TaskId task) {
    constexpr std::uint64_t lock = 64;
    const bool is_disciplined = random_.below(100) >= undisciplined_;
    if (is_disciplined) {
      detector_.acquire(task, lock);
      oracle_.acquire(task, lock);
    }
    step(task);
    if (is_disciplined) {
      detector_.release(task, lock);
      oracle_.release(task, lock, true);
    }
  }

  void step(TaskId task) {
    if (shape_.atomics_are_apart && random_.below(4) != 0) {
      return random_.below(4) == 0 ? fence(task) : atomic(task);
    }
    if (shape_.ranges_span_pages && random_.below(4) == 0) return heap(task);
    const std::uint32_t what = random_.below(20 + sync_weight_);
    if (what < 6) return plain(task);
    if (what < 11) return atomic(task);
    if (what == 11) return create_or_join(task);
    if (what == 12) return heap(task);
    if (what < 15) return fence(task);
    synchronise(task);
  }

  void create_or_join(TaskId task) {
    if (tasks_.size() < max_tasks_) return create(task);
    const TaskId ended = any_task();
    if (ended == task || ended == task_id(0)) return;
    std::erase(tasks_, ended);
    free_numbers_.push_back(ended);
    if (random_.below(4) == 0) return;  // detached: nobody knows when it ended
    detector_.task_joined(task, ended);
    oracle_.task_joined(task, ended);
  }

  void create(TaskId parent) {
    TaskId child = task_id(created_);
    if (!free_numbers_.empty() && random_.below(2) == 0) {
      child = free_numbers_.back();
      free_numbers_.pop_back();
    } else {
      ++created_;
    }
    detector_.task_created(parent, child);
    oracle_.task_created(parent, child);
    tasks_.push_back(child);
  }

  void synchronise(TaskId task) {
    const std::uint64_t object = busy_address(24) & -8ULL;
    switch (random_.below(16)) {
      case 0:
        detector_.object_destroyed(object);
        return oracle_.object_destroyed(object);
      case 1:
      case 2:
        detector_.release_store(task, object);
        return oracle_.release(task, object, true);
      case 3:
      case 4:
      case 5:
      case 6:
      case 7:
        detector_.release(task, object);
        return oracle_.release(task, object, false);
      default:
        detector_.acquire(task, object);
        return oracle_.acquire(task, object);
    }
  }

  void fence(TaskId task) {
    const Order order = any_order();
    detector_.fence(task, order);
    oracle_.fence(task, order);
  }

  void plain(TaskId task) {
    const Memory range = any_range();
    const bool is_write = random_.below(write_rarity_) == 0;
    const std::uint64_t event = next_event();
    const auto size = static_cast<std::uint32_t>(range.size);
    const Race* race = is_write ? detector_.write(task, range.address, size, event + 1000, event)
                                : detector_.read(task, range.address, size, event + 1000, event);
    compare(race, oracle_.plain(task, range, is_write));
  }

  void atomic(TaskId task) {
    const std::uint32_t size = shape_.atomics_are_apart ? 8 : 1u << random_.below(5);
    const std::uint64_t address = shape_.atomics_are_apart
                                      ? shape_.memory.address + 8 * random_.below(2)
                                      : busy_address(size) & -std::uint64_t{size};
    const std::uint64_t event = next_event();
    const Order order = any_order();
    const std::uint64_t site = event + 1000;
    switch (random_.below(3)) {
      case 0:
        return compare(detector_.atomic_load(task, address, size, order, site, event),
                       oracle_.atomic(task, {address, size}, order, true, false));
      case 1:
        return compare(detector_.atomic_store(task, address, size, order, site, event),
                       oracle_.atomic(task, {address, size}, order, false, true));
      default:
        return compare(detector_.atomic_update(task, address, size, order, site, event),
                       oracle_.atomic(task, {address, size}, order, true, true));
    }
  }

  void heap(TaskId task) {
    const Memory range = any_range();
    if (random_.below(2) == 0) {
      detector_.allocated(range.address, range.size);
      return oracle_.allocated(range);
    }
    const std::uint64_t event = next_event();
    compare(detector_.freed(task, range.address, range.size, event + 1000, event),
            oracle_.freed(task, range));
  }

  std::uint64_t next_event() const { return static_cast<std::uint64_t>(oracle_.next()); }

  std::uint64_t busy_address(std::uint64_t size) {
    const std::uint64_t first = shape_.memory.address + page_size - shape_.busy_bytes / 2;
    const std::uint64_t room = shape_.busy_bytes > size ? shape_.busy_bytes - size : 1;
    return first + random_.below(static_cast<std::uint32_t>(room));
  }

  Memory any_range() {
    if (shape_.ranges_span_pages && random_.below(3) == 0) return any_large_range();
    static constexpr std::uint32_t common[] = {1, 2, 4, 8};
    const std::uint32_t size =
        random_.below(2) == 0 ? common[random_.below(4)] : 1 + random_.below(16);
    if (shape_.ranges_span_pages && random_.below(2) == 0) {
      const auto room = static_cast<std::uint32_t>(shape_.memory.size - size);
      return {shape_.memory.address + random_.below(room), size};
    }
    return {busy_address(size), size};
  }

  // Starts and ends near a boundary of a page, so that whole pages and odd ends occur.
  Memory any_large_range() {
    const auto pages = static_cast<std::uint32_t>(shape_.memory.size / page_size);
    const std::uint32_t first = random_.below(pages - 1);
    const std::uint32_t last = first + 1 + random_.below(pages - 1 - first);
    const std::uint64_t start = first * page_size + (random_.below(2) == 0 ? 0 : random_.below(20));
    const std::uint64_t end = last * page_size + (random_.below(2) == 0 ? 0 : random_.below(20));
    return {shape_.memory.address + start, end - start};
  }

  void compare(const Race* race, RaceOracle::Verdict expected) {
    has_raced_ |= expected.is_race;
    if (expected.is_race && race == nullptr) return fail("a race was missed");
    if (race == nullptr) return;
    if (!expected.is_race && !expected.is_unspecified) return fail("a race was invented");
    const bool is_right = race->site == next_event() - 1 + 1000 &&
                          race->other_site == race->other_event + 1000 &&
                          oracle_.confirms(*race, static_cast<int>(race->other_event));
    if (!is_right) fail("a race was reported with the wrong accesses");
  }

  void fail(const char* what) {
    has_failed_ = true;
    ADD_FAILURE() << what << " at operation " << oracle_.next() - 1;
  }

  RaceDetector& detector_;
  const Shape shape_;
  RaceOracle oracle_;
  Random random_;
  const std::uint32_t max_tasks_;
  const std::uint32_t sync_weight_;
  const std::uint32_t write_rarity_;
  const std::uint32_t undisciplined_;  // in a hundred operations
  std::vector<TaskId> tasks_ = {task_id(0)};
  std::vector<TaskId> free_numbers_;
  std::uint32_t created_ = 1;
  bool has_raced_ = false;
  bool has_failed_ = false;
};

struct Counts {
  std::uint32_t with_race = 0;
  std::uint32_t without_race = 0;
};

Counts run_many(const Shape& shape, std::uint32_t executions, std::uint64_t first_seed) {
  auto detector = std::make_unique<RaceDetector>();
  Counts counts;
  for (std::uint64_t seed = first_seed; seed < first_seed + executions; ++seed) {
    RandomExecution execution(*detector, shape, seed);
    ++(execution.run() ? counts.with_race : counts.without_race);
    if (execution.has_failed()) {
      ADD_FAILURE() << "in the execution with seed " << seed;
      break;
    }
  }
  return counts;
}

TEST(RaceDetectorAtRandom, AgreesWithTheStandardUntilTheFirstRace) {
  const Counts counts = run_many({.stops_at_first_race = true}, 20000 / share, 1);
  EXPECT_GT(counts.with_race, 2000U / share);
  EXPECT_GT(counts.without_race, 2000U / share);
}

TEST(RaceDetectorAtRandom, AgreesInTheShortestExecutions) {
  run_many({.operations = 10, .busy_bytes = 18, .stops_at_first_race = true}, 40000 / share, 1);
}

TEST(RaceDetectorAtRandom, AgreesOnBytesWithoutARaceAfterRacesOnOthers) {
  const Counts counts = run_many({.busy_bytes = 64}, 10000 / share, 1);
  EXPECT_GT(counts.with_race, 2000U / share);
}

TEST(RaceDetectorAtRandom, AgreesOnReleaseSequencesAndFences) {
  run_many({.operations = 40, .atomics_are_apart = true, .stops_at_first_race = true},
           20000 / share, 1);
  run_many({.operations = 100, .busy_bytes = 128, .atomics_are_apart = true}, 5000 / share, 1);
}

TEST(RaceDetectorAtRandom, AgreesInLongExecutions) {
  run_many({.operations = 400, .busy_bytes = 256}, 300 / share, 1);
}

TEST(RaceDetectorAtRandom, AgreesOnRangesOfPages) {
  const Memory memory{0x7f0000000000, 4 * page_size};
  run_many({.memory = memory, .ranges_span_pages = true, .stops_at_first_race = true}, 1000 / share,
           1);
  run_many({.memory = memory, .ranges_span_pages = true}, 500 / share, 1);
}

}  // namespace
}  // namespace ricercar::inline detect
