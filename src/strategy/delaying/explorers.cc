// The explorers of the paper (Desai, Qadeer, Seshia, ESEC/FSE 2015, sections 2 and 6.2). `next`
// skips tasks that cannot go on, in place of the paper's invariant that the first one always can.
#include "strategy/delaying/explorers.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/error.h"
#include "base/nearest.h"
#include "base/random.h"

namespace ricercar::inline strategy {
namespace {

// A short list of tasks in an order. Copied once for each new state of a search, so up to 16 tasks
// stay inside of the object.
class TaskList {
 public:
  std::uint32_t size() const { return size_; }
  std::span<const std::uint16_t> all() const { return {data(), size_}; }

  void insert(std::uint32_t place, unsigned task) {
    grow();
    std::uint16_t* first = data();
    std::copy_backward(first + place, first + size_ - 1, first + size_);
    first[place] = static_cast<std::uint16_t>(task);
  }
  void push_back(unsigned task) { insert(size_, task); }
  void push_front(unsigned task) { insert(0, task); }

  void erase(unsigned task) {
    std::uint16_t* first = data();
    std::uint16_t* found = std::find(first, first + size_, task);
    if (found == first + size_) return;
    std::copy(found + 1, first + size_, found);
    --size_;
  }

  // These do nothing if the task is not there.
  void move_to_back(unsigned task) {
    std::uint16_t* found = find(task);
    if (found != end()) std::rotate(found, found + 1, end());
  }
  void move_to_front(unsigned task) {
    std::uint16_t* found = find(task);
    if (found != end()) std::rotate(data(), found, found + 1);
  }
  // What stands before the task goes behind all others.
  void rotate_to(unsigned task) {
    std::uint16_t* found = find(task);
    if (found != end()) std::rotate(data(), found, end());
  }

  // Never 0.
  std::uint64_t hash() const {
    std::uint64_t result = size_;
    for (const std::uint16_t task : all()) result = mix64(result ^ task);
    return result | 1;
  }

 private:
  static constexpr std::uint32_t small = 16;

  std::uint16_t* data() { return many_.empty() ? few_.data() : many_.data(); }
  const std::uint16_t* data() const { return many_.empty() ? few_.data() : many_.data(); }
  std::uint16_t* end() { return data() + size_; }
  std::uint16_t* find(unsigned task) { return std::find(data(), end(), task); }

  void grow() {
    if (many_.empty() && size_ == small) many_.assign(few_.begin(), few_.end());
    ++size_;
    if (!many_.empty() && many_.size() < size_) many_.resize(size_);
  }

  std::uint32_t size_ = 0;
  std::array<std::uint16_t, small> few_ = {};
  std::vector<std::uint16_t> many_;  // all of them, once there have been more than fit
};

// A list of tasks; the first one that can go on runs, a delay moves it to the end.
template <typename Explorer>
class ListExplorer : public DelayingExplorer {
 public:
  std::unique_ptr<DelayingExplorer> copy() const override {
    return std::make_unique<Explorer>(static_cast<const Explorer&>(*this));
  }
  unsigned next(const EnabledTasks& enabled) const override {
    for (const std::uint16_t task : tasks_.all()) {
      if (enabled.contains(task)) return task;
    }
    return enabled.from(0);
  }
  void delay(const EnabledTasks& enabled) override { tasks_.move_to_back(next(enabled)); }
  void finished(unsigned task) override { tasks_.erase(task); }
  std::uint64_t identity() const override { return tasks_.hash(); }

 protected:
  TaskList tasks_;
};

// The head runs until it blocks or ends.
template <typename Explorer>
class RoundRobinExplorer : public ListExplorer<Explorer> {
 public:
  void step(const ExplorerStep& step) override {
    // What stands before the task that ran cannot go on, or it would have run.
    if (step.kind == ExplorerStep::ran) this->tasks_.rotate_to(step.task);
    if (step.kind == ExplorerStep::blocked) this->tasks_.move_to_back(step.task);
  }
};

class RoundRobin final : public RoundRobinExplorer<RoundRobin> {
 public:
  void started(unsigned task) override { tasks_.push_back(task); }
};

// The place of a new task depends on its number and on the seed only, so that copies agree.
class RandomRoundRobin final : public RoundRobinExplorer<RandomRoundRobin> {
 public:
  explicit RandomRoundRobin(std::uint64_t seed) : seed_(mix64(seed)) {}

  void started(unsigned task) override {
    tasks_.insert(Random(seed_ + task).below(tasks_.size() + 1), task);
  }

 private:
  std::uint64_t seed_;
};

// The receiver of the newest event runs first, and a creation is an event too.
class RunToCompletion final : public ListExplorer<RunToCompletion> {
 public:
  void started(unsigned task) override { tasks_.push_front(task); }
  void step(const ExplorerStep& step) override {
    if (step.kind == ExplorerStep::sent) tasks_.move_to_front(step.target);
  }
};

constexpr ExplorerInfo explorer_table[] = {
    {"rr", "round robin: a task runs until it blocks or ends, then the next one in order",
     [](std::uint64_t) -> std::unique_ptr<DelayingExplorer> {
       return std::make_unique<RoundRobin>();
     }},
    {"rtc", "run to completion: the receiver of the newest event, or who was woken last, runs",
     [](std::uint64_t) -> std::unique_ptr<DelayingExplorer> {
       return std::make_unique<RunToCompletion>();
     }},
    {"prr",
     "as rr, but a new task enters the order at a random place; ss draws them anew for each sample",
     [](std::uint64_t seed) -> std::unique_ptr<DelayingExplorer> {
       return std::make_unique<RandomRoundRobin>(seed);
     },
     true},
};

}  // namespace

std::span<const ExplorerInfo> explorers() { return explorer_table; }

NamedExplorer make_explorer(std::string_view name, std::uint64_t seed,
                            const ExplorerContext& context) {
  std::vector<std::string_view> names;
  for (const ExplorerInfo& info : explorer_table) {
    if (info.name == name) {
      return {std::string(name), info.make(seed), false, info.is_random ? info.make : nullptr};
    }
    names.push_back(info.name);
  }
  for (const OwnExplorer& own : context.own) {
    if (own.name == name) return {own.name, own.make(), true};
    names.push_back(own.name);
  }
  if (context.is_check) return {std::string(name), explorer_table[0].make(seed), true};
  throw UsageError("there is no explorer '" + std::string(name) + "'" + did_you_mean(name, names) +
                   " (`ricercar strategies` lists those that Ricercar has; one of the program's "
                   "own is registered with RegisterExplorer, see <ricercar/explorer.h>)");
}

}  // namespace ricercar::inline strategy
