// Which read takes what from which write: what an execution shows of itself to reads-from fuzzing
// (rff.cc). Events are abstract: where in the code, on which object; the first write of an object
// is that before everything.
#pragma once

#include <cstdint>
#include <vector>

#include "base/flat_map.h"
#include "base/random.h"
#include "model/dependence.h"
#include "strategy/event_counts.h"

namespace ricercar::inline strategy {

// All that changes an object writes it. What only writes it reads nothing; all others do.
inline bool writes_object(OperationKind kind) { return access_of(kind) == Access::write; }
inline bool reads_object(OperationKind kind) {
  return kind != OperationKind::write && kind != OperationKind::atomic_store &&
         access_of(kind) != Access::none;
}

struct ReadsFrom {
  static constexpr std::uint64_t from_before = 1;  // the site of a write that was never made

  std::uint64_t object = 0;
  std::uint64_t write = from_before;  // sites
  std::uint64_t read = 0;

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(object, write, read);
  }
  std::uint64_t hash() const { return mix64(object ^ mix64(write ^ mix64(read))) | 1; }
};

// All pairs of all executions.
class KnownReads {
 public:
  struct Shown {
    std::uint64_t combination = 0;  // a number for the set of pairs
    bool has_new = false;
  };

  Shown learn(Trace trace) {
    ++execution_;
    Shown shown;
    for (const Step& step : trace) {
      const std::uint64_t object = shared_object(step.kind, step.object);
      if (object == 0 || (step.flags & step_value) != 0) continue;
      Write& last = last_.at(object, {});
      if (last.execution != execution_) last = {ReadsFrom::from_before, execution_};
      if (reads_object(step.kind) && !last.has_shown(step.site)) {
        note({object, last.site, step.site}, shown);
        last.shown_write = last.site;
        last.shown_read = step.site;
      }
      if (writes_object(step.kind)) last.site = step.site;
    }
    return shown;
  }

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(execution_, objects_, numbers_, executions_, last_);
  }

  bool empty() const { return objects_.empty(); }
  // A write and a read of one object that have been seen, perhaps never together.
  ReadsFrom any(Random& random) const {
    const std::vector<ReadsFrom>& pairs = any_of(objects_, random);
    return {pairs.front().object, any_of(pairs, random).write, any_of(pairs, random).read};
  }

 private:
  // The last one of an object, and the last pair that its object has shown: in a loop it is the
  // same again and again.
  struct Write {
    std::uint64_t site = ReadsFrom::from_before;
    std::uint64_t execution = 0;
    std::uint64_t shown_write = ~std::uint64_t{0};  // none yet
    std::uint64_t shown_read = 0;

    bool has_shown(std::uint64_t read) const { return shown_write == site && shown_read == read; }
  };

  template <typename Item>
  static const Item& any_of(const std::vector<Item>& items, Random& random) {
    return items[random.below(static_cast<std::uint32_t>(items.size()))];
  }

  // In a program whose objects are elsewhere in each execution there is no end of pairs.
  static constexpr std::size_t most_pairs = 1 << 20;

  void note(const ReadsFrom& pair, Shown& shown) {
    const std::uint64_t hash = pair.hash();
    if (executions_.size() >= most_pairs && executions_.find(hash) == nullptr) return;
    std::uint64_t& last = executions_.at(hash, 0);
    if (last == execution_) return;
    if (last == 0) {
      keep(pair);
      shown.has_new = true;
    }
    last = execution_;
    shown.combination += mix64(hash);
  }

  void keep(const ReadsFrom& pair) {
    const auto next = static_cast<std::uint32_t>(objects_.size());
    const std::uint32_t number = numbers_.at(pair.object, next);
    if (number == next) objects_.emplace_back();
    objects_[number].push_back(pair);
  }

  std::uint64_t execution_ = 0;
  std::vector<std::vector<ReadsFrom>> objects_;  // the pairs of each
  FlatMap<std::uint32_t> numbers_;               // by object: its place among them
  FlatMap<std::uint64_t> executions_;            // by pair: the last one that showed it
  FlatMap<Write> last_;                          // by object
};

}  // namespace ricercar::inline strategy
