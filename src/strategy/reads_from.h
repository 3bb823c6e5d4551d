// Which read takes what from which write: what an execution shows of itself to reads-from fuzzing
// (rff.cc). Events are abstract: where in the code, on which object; the first write of an object
// is that before everything. And what an execution may be wished to show: an abstract schedule.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/flat_map.h"
#include "base/plain.h"
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
    std::uint64_t combination = 0;     // a number for the set of pairs
    std::vector<ReadsFrom> new_pairs;  // that no execution has shown before
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

  // Pairs that an execution of somebody else has shown. False: all of them were known.
  bool learn(const std::vector<ReadsFrom>& pairs) {
    ++execution_;
    Shown shown;
    for (const ReadsFrom& pair : pairs) note(pair, shown);
    return !shown.new_pairs.empty();
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
      shown.new_pairs.push_back(pair);
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

// --- Abstract schedules ---

struct Constraint {
  ReadsFrom pair;
  bool is_wanted = true;  // otherwise the read must not take from the write

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(pair, is_wanted);
  }
};

using AbstractSchedule = std::vector<Constraint>;

// An abstract schedule that has shown something new.
struct CorpusSchedule {
  AbstractSchedule schedule;
  std::uint64_t combination = 0;
  std::uint32_t chosen = 0;  // so often

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(schedule, combination, chosen);
  }
};

// All of them, and whose turn it is.
class ScheduleCorpus {
 public:
  // What executions have added to it.
  struct Added {
    std::vector<std::uint64_t> combinations;  // of each execution
    std::vector<std::uint32_t> chosen;        // how often each of those that were there was
    std::vector<CorpusSchedule> entries;

    template <typename Archive>
    void serialize(Archive& archive) {
      archive(plain(combinations), plain(chosen), entries);
    }
  };

  ScheduleCorpus() { clear(); }
  void clear() {
    entries_.assign(1, {});
    times_.clear();
    executions_ = 0;
    current_ = 0;
    energy_ = 1;
  }

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(entries_, times_, executions_, current_, energy_);
    archive(plain(combinations_), plain(chosen_before_));
  }

  // From the execution of this number on it is added to. Others who begin with the same corpus
  // begin elsewhere in it.
  void begin_piece(std::uint64_t number) {
    combinations_.clear();
    chosen_before_.clear();
    for (const CorpusSchedule& entry : entries_) chosen_before_.push_back(entry.chosen);
    if (entries_.size() == 1) return;
    current_ = mix64(number) % entries_.size();
    energy_ = 0;
  }
  Added added() const {
    const auto first_new = entries_.begin() + static_cast<std::ptrdiff_t>(chosen_before_.size());
    Added added{combinations_, {}, {first_new, entries_.end()}};
    for (std::size_t i = 0; i < chosen_before_.size(); ++i)
      added.chosen.push_back(entries_[i].chosen - chosen_before_[i]);
    return added;
  }
  // `shows_new(i)`: so does the one that was added.
  template <typename ShowsNew>
  void add(Added added, ShowsNew shows_new) {
    executions_ += added.combinations.size();
    for (const std::uint64_t combination : added.combinations) ++times_[combination];
    for (std::size_t i = 0; i < added.chosen.size(); ++i) entries_[i].chosen += added.chosen[i];
    for (std::size_t i = 0; i < added.entries.size(); ++i) {
      if (shows_new(i)) entries_.push_back(std::move(added.entries[i]));
    }
  }

  // The next one to be changed.
  const AbstractSchedule& next() {
    while (energy_ == 0) {
      current_ = (current_ + 1) % entries_.size();
      energy_ = energy_of(entries_[current_]);
    }
    --energy_;
    return entries_[current_].schedule;
  }

  void note(const AbstractSchedule& schedule, const KnownReads::Shown& shown) {
    ++executions_;
    ++times_[shown.combination];
    combinations_.push_back(shown.combination);
    if (!shown.new_pairs.empty()) entries_.push_back({schedule, shown.combination, 0});
  }

 private:
  // None for what is more frequent than the average; otherwise twice as much with each turn, and
  // less the more frequent it is. The last of all always has some.
  std::uint64_t energy_of(CorpusSchedule& entry) {
    constexpr std::uint64_t most = 64;
    const auto found = times_.find(entry.combination);
    const std::uint64_t times = found == times_.end() ? 1 : found->second;
    const std::uint64_t mean = executions_ / std::max<std::size_t>(times_.size(), 1);
    if (times > mean + 1 && entries_.size() > 1 && &entry != &entries_.back()) return 0;
    const std::uint64_t turns = std::min(entry.chosen++, 16U);
    return std::clamp<std::uint64_t>((std::uint64_t{1} << turns) / times, 1, most);
  }

  std::vector<CorpusSchedule> entries_;                     // the first one has no constraints
  std::unordered_map<std::uint64_t, std::uint64_t> times_;  // by combination
  std::uint64_t executions_ = 0;
  std::size_t current_ = 0;
  std::uint64_t energy_ = 1;                  // how often it is still changed
  std::vector<std::uint64_t> combinations_;   // of the executions of this piece
  std::vector<std::uint32_t> chosen_before_;  // of the entries that it began with
};

}  // namespace ricercar::inline strategy
