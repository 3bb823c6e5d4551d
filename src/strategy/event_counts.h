// How many events tasks have in an execution, learned over executions: in all, and on each object
// that several tasks use. For samplers that weigh a task by what it has left to do (surw.cc).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

#include "base/flat_map.h"
#include "base/plain.h"
#include "model/dependence.h"

namespace ricercar::inline strategy {

// By kind of operation: others may look at what it is about, or change it. A table, because it is
// asked for every option of many choices.
constexpr std::array<bool, std::size(operation_kinds)> kinds_with_shared_objects() {
  std::array<bool, std::size(operation_kinds)> result = {};
  for (std::size_t i = 0; i < std::size(operation_kinds); ++i)
    result[i] = access_of(static_cast<OperationKind>(i)) != Access::none;
  return result;
}
inline constexpr auto has_shared_object = kinds_with_shared_objects();

// The object that a step is about, if others may change it or look at it; otherwise 0.
inline std::uint64_t shared_object(OperationKind kind, std::uint64_t object) {
  return has_shared_object[static_cast<std::uint8_t>(kind)] ? object : 0;
}

class EventCounts {
 public:
  struct Count {
    std::uint32_t task;
    double events;
  };

  void forget() { *this = EventCounts(); }

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(learned_, plain(in_all_), plain(creators_), plain(objects_), plain(counts_));
  }

  // The mean of the executions so far, and of the last ones more than of those before: a task that
  // waits in a loop has another number of events in each.
  void learn(Trace trace) {
    constexpr double memory = 8;
    seen_.clear();
    numbers_ = {};
    places_ = {};
    seen_in_all_.assign(in_all_.size(), 0);
    for (const Step& step : trace) note(step);
    learned_ = std::min(learned_ + 1, memory);
    if (in_all_.size() < seen_in_all_.size()) in_all_.resize(seen_in_all_.size(), 0);
    for (std::size_t i = 0; i < in_all_.size(); ++i) {
      in_all_[i] += (seen_in_all_[i] - in_all_[i]) / learned_;
    }
    keep_objects();
  }

  std::uint32_t tasks() const { return static_cast<std::uint32_t>(in_all_.size()); }
  double length() const {
    double sum = 0;
    for (const double events : in_all_) sum += events;
    return sum;
  }
  double of_task(std::uint32_t task) const { return in_all_[task]; }
  // Who created it; its own number: nobody is known.
  std::uint32_t creator(std::uint32_t task) const {
    return task < creators_.size() ? creators_[task] : task;
  }

  // The objects that two tasks use and one of them changes, in the last execution learned from.
  std::uint32_t objects() const { return static_cast<std::uint32_t>(objects_.size()); }
  std::uint64_t object(std::uint32_t number) const { return objects_[number].object; }
  std::span<const Count> on_object(std::uint32_t number) const {
    const std::uint32_t begin = number == 0 ? 0 : objects_[number - 1].end;
    return {counts_.data() + begin, objects_[number].end - begin};
  }

 private:
  // What a task does to an object.
  struct Use {
    std::uint64_t object;
    std::uint32_t task;
    std::uint32_t events;
    bool writes;
  };
  struct Object {
    std::uint64_t object;
    std::uint32_t end;  // of its counts, which begin where those of the one before end
  };

  void note(const Step& step) {
    const std::uint32_t task = index(step.task);
    if (step.kind == OperationKind::create) note_creation(task, step.value);
    if (!is_decided(step)) return;
    if (task >= seen_in_all_.size()) seen_in_all_.resize(task + 1, 0);
    ++seen_in_all_[task];
    const std::uint64_t object = shared_object(step.kind, step.object);
    if (object == 0) return;
    Use& use = use_of(object, task);
    ++use.events;
    use.writes |= access_of(step.kind) == Access::write;
  }

  // Executions have many more steps than tasks and objects: to count takes less time than to sort.
  Use& use_of(std::uint64_t object, std::uint32_t task) {
    const auto next_number = static_cast<std::uint64_t>(numbers_.size() + 1);
    const std::uint64_t number = numbers_.at(object, next_number);
    const auto next = static_cast<std::uint32_t>(seen_.size());
    const std::uint32_t place = places_.at(number << 32 | task, next);
    if (place == next) seen_.push_back({object, task, 0, false});
    return seen_[place];
  }

  void note_creation(std::uint32_t creator, std::uint64_t task) {
    if (task >= max_tasks || task <= creator) return;
    while (creators_.size() <= task) {
      creators_.push_back(static_cast<std::uint32_t>(creators_.size()));
    }
    creators_[task] = creator;
  }

  void keep_objects() {
    std::sort(seen_.begin(), seen_.end(), [](const Use& a, const Use& b) {
      return a.object != b.object ? a.object < b.object : a.task < b.task;
    });
    objects_.clear();
    counts_.clear();
    for (auto use = seen_.begin(); use != seen_.end();) use = keep_object(use);
  }

  // The first use of the next object.
  std::vector<Use>::iterator keep_object(std::vector<Use>::iterator use) {
    const std::uint64_t object = use->object;
    const std::size_t begin = counts_.size();
    bool is_changed = false;
    for (; use != seen_.end() && use->object == object; ++use) {
      counts_.push_back({use->task, static_cast<double>(use->events)});
      is_changed |= use->writes;
    }
    if (is_changed && counts_.size() > begin + 1) {
      objects_.push_back({object, static_cast<std::uint32_t>(counts_.size())});
    } else {
      counts_.resize(begin);
    }
    return use;
  }

  double learned_ = 0;
  std::vector<double> in_all_;
  std::vector<std::uint32_t> creators_;
  std::vector<Object> objects_;
  std::vector<Count> counts_;
  std::vector<double> seen_in_all_;  // in the execution that is being learned from
  std::vector<Use> seen_;            // likewise
  FlatMap<std::uint64_t> numbers_;   // likewise, of objects
  FlatMap<std::uint32_t> places_;    // likewise, in seen_, by an object's number and a task
};

}  // namespace ricercar::inline strategy
