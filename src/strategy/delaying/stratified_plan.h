// What all who take part in a stratified search share: the states that are known, the items that
// wait, the strata. Items are handed out in order, and what came of them is taken in that order,
// so that the result does not depend on how many take part.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/plain.h"
#include "strategy/delaying/frontier.h"
#include "strategy/delaying/state_cache.h"
#include "strategy/delaying/waiting_lock.h"
#include "strategy/strategy.h"

namespace ricercar::inline strategy {

struct StratifiedOptions {
  Stratum::Unit unit = Stratum::Unit::delays;
  std::string by;           // " of explorer rr"; or nothing
  std::uint64_t step = 1;   // costs more in each stratum
  std::uint64_t bound = 0;  // the largest cost
  std::uint64_t cache_bytes = 0;
  StateCache::WhenFull when_full = StateCache::WhenFull::stop;
  bool exact = false;
  bool reduce = false;
  bool cycles = false;       // look for fair cycles through hot states
  std::uint64_t memory = 0;  // bytes for the frontier; 0: no limit
  std::string file;          // for what does not fit
};

// A state that an execution has come through for the first time.
struct VisitedState {
  Fingerprint key;          // in the cache
  Fingerprint fingerprint;  // of the program alone
  std::size_t items;        // how many the execution had left before
};

class StratifiedPlan {
 public:
  explicit StratifiedPlan(StratifiedOptions options);

  // Between two executions of one who works alone.
  template <typename Archive>
  void serialize(Archive& archive) {
    double seconds = seconds_in_stratum();
    archive(cache_, programs_, asleep_, stack_, frontier_, in_stratum_, cost_bound_);
    archive(started_, finished_, beyond_, states_, plain(strata_), seconds);
    stratum_began_ = now_seconds() - seconds;
  }

  const StratifiedOptions& options() const { return options_; }

  // --- One who works alone, or whose turn it is ---

  bool take(SearchItem& item);          // false: nothing is left
  bool add(const VisitedState& state);  // false: it is known
  bool is_between_strata() const { return stack_.empty() && in_stratum_ == 0; }
  void leave_items(std::vector<SearchItem>& items);
  void note_beyond() { beyond_ = true; }  // something costs more than the bound
  // With `reduce`: the tasks of the state that still have to run, if it was met before with
  // `asleep` or more of them asleep. See stratified_search.cc.
  TaskSet meet(const Fingerprint& key, const TaskSet& asleep, bool is_new);

  // --- Several ---

  void share();
  // False: nothing is left, for anybody. Waits while others may still leave something.
  bool take_shared(SearchItem& item, std::uint64_t& number);
  bool knows(const Fingerprint& key) const { return cache_.contains(key); }
  // Waits for those before; false: one of the states is known meanwhile, and nothing was taken. The
  // item is to be run again, and it is the turn of who does that until pass().
  bool commit(std::uint64_t number, const std::vector<VisitedState>& states,
              std::vector<SearchItem>& items, bool beyond);
  void wait_for_turn(std::uint64_t number);
  void pass(std::uint64_t number);
  void give_up();

  // --- Anybody ---

  Coverage coverage() const;
  std::string progress() const;
  std::vector<Stratum> strata() const;
  const Frontier& frontier() const { return frontier_; }
  bool is_inside_item() const { return !stack_.empty(); }  // some of its values are still to come
  std::uint64_t bytes() const;

 private:
  bool insert(const VisitedState& state);
  void next_stratum();
  Stratum current_stratum() const;
  double seconds_in_stratum() const { return started_ ? now_seconds() - stratum_began_ : 0; }
  void check_cache() const;
  std::string counted(std::uint64_t cost) const;

  const StratifiedOptions options_;
  mutable WaitingLock monitor_;  // of all below, once it is shared
  StateCache cache_;
  StateCache programs_;  // `exact`: the states without what the guide adds
  std::unordered_map<std::uint64_t, std::vector<std::uint16_t>> asleep_;  // by state, if any are
  std::vector<SearchItem> stack_;  // of this stratum, before the frontier
  Frontier frontier_;              // the rest of this stratum, then the next one
  std::uint64_t in_stratum_ = 1;   // how many of the frontier belong to this stratum
  std::uint64_t cost_bound_ = 0;   // of this stratum
  bool started_ = false;
  bool finished_ = false;
  bool beyond_ = false;
  std::uint64_t states_ = 0;
  std::vector<Stratum> strata_;
  double stratum_began_ = 0;
  std::uint64_t handed_out_ = 0;
  std::uint64_t turn_ = 0;  // the number of the item whose results come next
  bool is_shared_ = false;
  bool given_up_ = false;
};

}  // namespace ricercar::inline strategy
