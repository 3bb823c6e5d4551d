// A parallel loop: each worker has a range of iterations, and who has done his own takes half of
// another's. Iterations may fail; the failures are collected. The last worker that leaves runs the
// final action.
#pragma once

#include <array>
#include <atomic>
#include <cassert>
#include <cstdint>
#include <exception>
#include <functional>
#include <list>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace gambit {

enum class ParallelDoBug {
  none,
  // The owner of a range writes the range back without asking whether it has changed since it was
  // read. A thief that has taken the second half in between has taken nothing: both run it.
  restored_range,
  // A failure's place is read and the next place written in two steps: of two failures at the same
  // time one is lost.
  lost_failure,
  // A worker leaves, and asks afterwards whether it was the last one. Two that leave at the same
  // time both believe so, and the final action runs twice.
  double_final,
};

// Iterations that one worker owns and others may take from.
class WorkRange {
 public:
  // Aligned as a word, or clang++ calls a library for every access.
  struct alignas(std::uint64_t) Range {
    std::int32_t next;
    std::int32_t end;
  };

  WorkRange(Range range, ParallelDoBug bug) : bug_(bug), range_(range) {}

  // The owner's. Nothing: the range is empty.
  std::optional<int> take() {
    Range range = range_;
    while (range.next < range.end) {
      const Range rest = {range.next + 1, range.end};
      if (bug_ == ParallelDoBug::restored_range) {
        range_ = rest;
        return range.next;
      }
      if (range_.compare_exchange_strong(range, rest)) return range.next;
    }
    return std::nullopt;
  }

  // A thief's: the second half, rounded up.
  Range steal_half() {
    Range range = range_;
    while (range.next < range.end) {
      const std::int32_t middle = range.next + (range.end - range.next) / 2;
      if (range_.compare_exchange_strong(range, Range{range.next, middle})) {
        return {middle, range.end};
      }
    }
    return {0, 0};
  }

  // The owner's, of an empty range.
  void refill(Range range) { range_ = range; }

 private:
  const ParallelDoBug bug_;
  std::atomic<Range> range_;
};

class ParallelDo {
 public:
  struct Actions {
    std::function<void(int iteration)> body;
    std::function<void()> last;  // after all iterations
  };

  ParallelDo(int iterations, int workers, ParallelDoBug bug, Actions actions)
      : bug_(bug), actions_(std::move(actions)), active_(workers) {
    for (int i = 0; i < workers; ++i) {
      ranges_.emplace_back(
          WorkRange::Range{iterations * i / workers, iterations * (i + 1) / workers}, bug);
    }
  }

  // Returns the number of failures.
  int run() {
    std::vector<std::thread> workers;
    for (WorkRange& range : ranges_) workers.emplace_back([this, &range] { work(range); });
    for (std::thread& worker : workers) worker.join();
    return failure_count_;
  }

  int failure(int place) const { return failures_[place]; }

 private:
  static constexpr int max_failures = 64;

  void work(WorkRange& own) {
    do {
      while (const std::optional<int> iteration = own.take()) run_iteration(*iteration);
    } while (steal_work(own));
    leave();
  }

  // Runs the first iteration that it takes at once: if the last one of all went back into a range,
  // it could be stolen round and round for ever.
  bool steal_work(WorkRange& own) {
    for (WorkRange& other : ranges_) {
      if (&other == &own) continue;
      const WorkRange::Range stolen = other.steal_half();
      if (stolen.next == stolen.end) continue;
      own.refill({stolen.next + 1, stolen.end});
      run_iteration(stolen.next);
      return true;
    }
    return false;
  }

  void run_iteration(int iteration) {
    try {
      actions_.body(iteration);
    } catch (const std::runtime_error&) {
      failures_[reserve_failure()] = iteration;
    }
  }

  int reserve_failure() {
    if (bug_ == ParallelDoBug::lost_failure) {
      const int place = failure_count_;
      failure_count_ = place + 1;
      return place;
    }
    return failure_count_++;
  }

  void leave() {
    if (bug_ == ParallelDoBug::double_final) {
      --active_;
      if (active_ == 0) actions_.last();
    } else if (--active_ == 0) {
      actions_.last();
    }
  }

  const ParallelDoBug bug_;
  const Actions actions_;
  std::list<WorkRange> ranges_;
  std::atomic<int> active_;
  std::atomic<int> failure_count_ = 0;
  std::array<std::atomic<int>, max_failures> failures_ = {};
};

}  // namespace gambit
