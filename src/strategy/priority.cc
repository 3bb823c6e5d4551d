#include "strategy/priority.h"

#include <algorithm>
#include <unordered_set>

#include "base/error.h"
#include "base/nearest.h"
#include "base/random.h"

namespace ricercar {
namespace {

constexpr std::size_t max_functions = 4;

class FewPreemptions : public PriorityFunction {
 public:
  std::uint16_t priority(const Candidate& candidate) override {
    return static_cast<std::uint16_t>(std::min<std::uint32_t>(candidate.preemptions, 0xffff));
  }
};

class Reduction : public PriorityFunction {
 public:
  std::uint16_t priority(const Candidate& candidate) override {
    return candidate.reverses_race ? 0 : 1;
  }
  bool needs_order() const override { return true; }
};

// As Reduction, but what the reduction asks for only to be on the safe side comes later.
class DirectReduction : public PriorityFunction {
 public:
  std::uint16_t priority(const Candidate& candidate) override {
    if (candidate.is_direct) return 0;
    return candidate.reverses_race ? 1 : 2;
  }
  bool needs_order() const override { return true; }
};

class SleepSets : public PriorityFunction {
 public:
  std::uint16_t priority(const Candidate& candidate) override { return candidate.commutes ? 1 : 0; }
  bool needs_order() const override { return true; }
};

class RandomPriority : public PriorityFunction {
 public:
  explicit RandomPriority(std::uint64_t seed) : random_(seed) {}
  std::uint16_t priority(const Candidate&) override {
    return static_cast<std::uint16_t>(random_.next() >> 52);  // a few thousand bins are enough
  }

 private:
  Random random_;
};

class NovelPasts : public PriorityFunction {
 public:
  std::uint16_t priority(const Candidate& candidate) override {
    const std::uint64_t key = mix64(candidate.past ^ index(candidate.task));
    return seen_.insert(key).second ? 0 : 1;
  }
  bool needs_order() const override { return true; }

 private:
  std::unordered_set<std::uint64_t> seen_;
};

template <typename Function>
std::unique_ptr<PriorityFunction> make(std::uint64_t) {
  return std::make_unique<Function>();
}

std::unique_ptr<PriorityFunction> make_random_priority(std::uint64_t seed) {
  return std::make_unique<RandomPriority>(seed);
}

constexpr PriorityInfo table[] = {
    {"pb", "few preemptions first", make<FewPreemptions>},
    {"dpor", "first what partial-order reduction asks for", make<Reduction>},
    {"mdpor", "as dpor, and what it asks for only to be safe comes later", make<DirectReduction>},
    {"ss", "last what sleep sets would leave out", make<SleepSets>},
    {"rand", "in random order", make_random_priority},
    {"novel", "first what continues an unseen happens-before relation", make<NovelPasts>},
};

}  // namespace

std::span<const PriorityInfo> priorities() { return table; }

Priorities::Priorities(std::string_view names, std::uint64_t seed) {
  std::vector<std::string_view> known;
  for (const PriorityInfo& info : priorities()) known.push_back(info.name);
  while (!names.empty()) {
    const std::size_t end = std::min(names.find('+'), names.size());
    const std::string_view name = names.substr(0, end);
    names.remove_prefix(std::min(end + 1, names.size()));
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end()) {
      throw UsageError("there is no priority '" + std::string(name) + "'" +
                       did_you_mean(name, known) + " (`ricercar strategies` lists them all)");
    }
    functions_.push_back(priorities()[static_cast<std::size_t>(found - known.begin())].make(seed));
  }
  if (functions_.empty() || functions_.size() > max_functions) {
    throw UsageError("one to four priorities are wanted, joined by '+', as in priority=mdpor+pb");
  }
}

std::uint64_t Priorities::of(const Candidate& candidate) const {
  std::uint64_t result = 0;
  for (const auto& function : functions_) result = result << 16 | function->priority(candidate);
  return result << (16 * (max_functions - functions_.size()));
}

bool Priorities::need_order() const {
  return std::any_of(functions_.begin(), functions_.end(),
                     [](const auto& function) { return function->needs_order(); });
}

}  // namespace ricercar
