// What tasks would touch next, so that those are found at once whose next step races with one that
// was performed: nearly all others are about other objects, and nobody has to look at them.
//
// That a task would do something else is noticed when it has made a step, and when it could not
// have gone on meanwhile, or could only because of its time limit.
//
// Tasks are given as bits, so many words as set_words() was told. Called from one kernel thread.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "model/choice.h"
#include "model/dependence.h"
#include "strategy/random_order.h"

namespace ricercar::inline strategy {

class NextTouches {
 public:
  void begin() {
    for_each(known_, [this](std::uint32_t task) { forget(task); });
    known_.assign(known_.size(), 0);
    early_.assign(early_.size(), 0);
  }
  void set_words(std::size_t words) {
    for (TaskWords* each : {&known_, &early_, &away_, &wide_}) each->resize(words);
    tasks_.set_words(words);
    writers_.set_words(words);
  }

  // To be told of every schedule point, with the tasks that have made a step since the last one.
  void follow(const ChoicePoint& point, const TaskWords& moved) {
    const std::span<const std::uint64_t> now = point.options.tasks().words();
    for (std::size_t i = 0; i < known_.size(); ++i) {
      const std::uint64_t here = i < now.size() ? now[i] : 0;
      std::uint64_t changed = 0;
      for_each_bit(
          i, known_[i] & here & (moved[i] | change_of_early(point, i)), [&](std::uint32_t task) {
            const bool is_same = is_equal(next_[task], point.options.operation(task_id(task)));
            if (!is_same) changed |= bit(task);
          });
      for_each_bit(i, known_[i] & (~here | changed), [this](std::uint32_t task) { forget(task); });
      for_each_bit(i, here & (~known_[i] | changed), [&](std::uint32_t task) {
        learn(task, point.options.operation(task_id(task)));
      });
      known_[i] = here;
    }
  }

  // Adds the tasks whose next step races with one that was performed.
  void add_racing(const Step& step, TaskWords& racing) const {
    const bool is_plain = (step.flags & step_world) == 0 && (step.open & needs_life) == 0;
    if (is_plain && is_narrow(step.kind, step.object, step.size)) {
      add_racing_narrow(step, racing);
      return;
    }
    Footprint done;
    done.add(step, true);
    const bool is_away = touches_no_memory(step.kind);
    add_dependent(done, is_away ? wide_ : known_, racing);
    if (is_away) add_dependent(done, away_, racing);
  }

 private:
  static constexpr std::uint64_t granule = 8;  // bytes
  static constexpr std::size_t bucket_count = 256;

  // Those whose next step is narrow, and touches one of the granules that fall together here.
  struct Bucket {
    std::uint32_t count = 0;
    bool is_mixed = false;     // there are several objects
    std::uint64_t object = 0;  // otherwise this one
  };

  static bool is_equal(const Operation& one, const Operation& other) {
    return one.object == other.object && one.kind == other.kind && one.size == other.size;
  }
  static bool touches_memory_only(OperationKind kind, std::uint64_t object) {
    const Touches touches = info(kind).touches;
    return object < objects::pseudo && (touches == Touches::reads || touches == Touches::writes);
  }
  // What tasks there are, or nothing at all.
  static bool touches_no_memory(OperationKind kind) {
    const Touches touches = info(kind).touches;
    return kind != OperationKind::exit &&
           (touches == Touches::nothing || touches == Touches::own_end ||
            touches == Touches::task_list || touches == Touches::others_end);
  }
  static std::uint32_t width_of(std::uint8_t size) { return size == 0 ? 1 : size; }
  static Touch touch_of(OperationKind kind, std::uint64_t object, std::uint8_t size) {
    return {object, width_of(size), info(kind).touches == Touches::writes};
  }
  // It touches memory of one granule, and nothing else.
  static bool is_narrow(OperationKind kind, std::uint64_t object, std::uint8_t size) {
    return touches_memory_only(kind, object) && object % granule + width_of(size) <= granule;
  }
  static std::size_t bucket_of(std::uint64_t object) {
    return (object / granule * 0x9e3779b97f4a7c15ULL) >> 56;
  }
  static_assert(bucket_count == 1 << 8, "as many as there are numbers of the high bits");

  template <typename Visit>
  static void for_each_bit(std::size_t word, std::uint64_t bits, Visit visit) {
    for (; bits != 0; bits &= bits - 1) {
      visit(static_cast<std::uint32_t>(64 * word + std::countr_zero(bits)));
    }
  }
  template <typename Visit>
  static void for_each(const TaskWords& tasks, Visit visit) {
    for (std::size_t i = 0; i < tasks.size(); ++i) for_each_bit(i, tasks[i], visit);
  }

  void add_racing_narrow(const Step& step, TaskWords& racing) const {
    const Touch done = touch_of(step.kind, step.object, step.size);
    const std::size_t place = bucket_of(step.object);
    const Bucket& bucket = buckets_[place];
    const std::uint64_t* tasks = (done.writes ? tasks_ : writers_).row(place);
    std::uint64_t wide = 0;
    for (std::size_t i = 0; i < racing.size(); ++i) {
      wide |= wide_[i];
      if (!bucket.is_mixed && bucket.object == done.object) {
        racing[i] |= tasks[i];
        continue;
      }
      for_each_bit(i, tasks[i], [&](std::uint32_t task) {
        const Operation& next = next_[task];
        if (touch_of(next.kind, next.object, next.size).overlaps(done)) add_to(racing, task);
      });
    }
    if (wide == 0) return;
    Footprint footprint;
    footprint.add(done);
    add_dependent(footprint, wide_, racing);
  }

  void add_dependent(const Footprint& done, const TaskWords& tasks, TaskWords& racing) const {
    for_each(tasks, [&](std::uint32_t task) {
      if (footprint_of(task).depends_on(done)) add_to(racing, task);
    });
  }

  // Who could go on because of its time limit only, and now without it, or the other way round.
  std::uint64_t change_of_early(const ChoicePoint& point, std::size_t i) {
    std::uint64_t now = 0;
    if (point.early.tasks != nullptr && i < point.early.tasks->words().size()) {
      now = point.early.tasks->words()[i];
    }
    return std::exchange(early_[i], now) ^ now;
  }

  void learn(std::uint32_t task, const Operation& next) {
    if (task >= next_.size()) next_.resize(task + 1);
    next_[task] = next;
    if (!is_narrow(next.kind, next.object, next.size)) {
      add_to(touches_no_memory(next.kind) ? away_ : wide_, task);
      return;
    }
    const std::size_t place = bucket_of(next.object);
    Bucket& bucket = buckets_[place];
    if (bucket.count++ == 0) {
      bucket.object = next.object;
      bucket.is_mixed = false;
    }
    bucket.is_mixed |= next.object != bucket.object;
    tasks_.row(place)[task / 64] |= bit(task);
    if (info(next.kind).touches == Touches::writes) writers_.row(place)[task / 64] |= bit(task);
  }

  void forget(std::uint32_t task) {
    const Operation& next = next_[task];
    if (!is_narrow(next.kind, next.object, next.size)) {
      away_[task / 64] &= ~bit(task);
      wide_[task / 64] &= ~bit(task);
      return;
    }
    const std::size_t place = bucket_of(next.object);
    --buckets_[place].count;
    tasks_.row(place)[task / 64] &= ~bit(task);
    writers_.row(place)[task / 64] &= ~bit(task);
  }

  static std::uint64_t bit(std::uint32_t task) { return std::uint64_t{1} << task % 64; }
  static void add_to(TaskWords& tasks, std::uint32_t task) { tasks[task / 64] |= bit(task); }

  Footprint footprint_of(std::uint32_t task) const {
    const Operation& next = next_[task];
    Footprint result;
    result.add(Step{next.site, next.object, 0, task_id(task), next.kind, 0, next.size, 0, 0}, true);
    return result;
  }

  TaskWords known_{0};           // those that can go on
  TaskWords early_{0};           // of these: because of their time limits
  TaskWords away_{0};            // of these: those whose next step touches no memory
  TaskWords wide_{0};            // likewise: all others that are in no bucket
  std::vector<Operation> next_;  // by task
  std::array<Bucket, bucket_count> buckets_;
  TaskWordsTable tasks_{bucket_count};    // by bucket
  TaskWordsTable writers_{bucket_count};  // of these
};

}  // namespace ricercar::inline strategy
