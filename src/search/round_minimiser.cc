// Looks for the shortest story of a failure that goes round for ever: the fewest preemptions, then
// switches, then steps up to the end of the first round.
//
// The recorded execution is as long as the limit of steps allows, and most of it says nothing new.
// So what is tried ends at a much lower limit, where the detector can tell a round already. That
// might be the busy phase of a program which comes to an end later; so the answer counts only when
// it has gone round up to the recorded limit and failed in the same way there. From that execution
// only the way to the round and the first round are kept.
//
// First the recorded execution itself is told like that. Then it is made simpler, turn by turn, as
// in search/minimiser.cc. When nothing helps any more, short rounds are tried systematically, and
// executions with fewer preemptions (pb).
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "detect/livelock.h"
#include "model/execution_size.h"
#include "model/step_hash.h"
#include "search/rounds.h"
#include "search/variant_search.h"
#include "strategy/registry.h"

namespace ricercar::inline search {
namespace {

// A way to a round, and the round once: the last `round` steps.
struct Told {
  std::vector<Step> steps;
  std::uint64_t round = 0;

  ExecutionSize size() const { return size_of(steps); }
  EndlessEnd end() const { return {steps.size(), round}; }
  Rounds rounds() const { return rounds_of(steps, round); }
};

// Of an execution that ends with rounds: from the first one on it only goes round.
Told told_of(Trace trace, std::uint64_t round) {
  const Trace told = trace.first(first_round(trace, round) + round);
  return {{told.begin(), told.end()}, round};
}

// Takes the decisions of an execution again.
class SameAgain final : public Strategy {
 public:
  void follow(std::vector<Step> steps) { steps_ = std::move(steps); }

  bool begin() override { return true; }
  void end(Trace, const Outcome&) override {}
  Coverage coverage() const override { return {}; }
  std::size_t choose(const ChoicePoint& point) override {
    if (point.step >= steps_.size()) return cut;
    const Step& step = steps_[point.step];
    if (point.kind == ChoiceKind::value)
      return step.value < point.options.size() ? step.value : cut;
    return point.options.contains(step.task) ? point.options.position(step.task) : cut;
  }

 private:
  std::vector<Step> steps_;
};

// --- What may be simpler ---

// The changes that may make it simpler, one after the other.
class RoundSimplifications {
 public:
  void begin() {
    pass_ = Pass::values;
    next_ = 0;
  }
  // The next one of these turns, which may have become others since; false: there is none.
  bool next(const Rounds& base, Rounds& changed);

 private:
  enum class Pass : std::uint8_t {
    values,
    no_way,
    windows,
    merges,
    delays,
    long_turns,
    short_rounds,
    over
  };
  enum class Try : std::uint8_t { changed, unchanged, over };

  Try change(Rounds& changed);
  Try without_way(Rounds& changed);
  Try without_window(Rounds& changed);
  Try with_merged_turn(Rounds& changed);
  Try with_delayed_turn(Rounds& changed);
  Try with_long_turn(Rounds& changed);
  Try with_short_round(Rounds& changed);

  Pass pass_ = Pass::values;
  std::size_t next_ = 0;    // of the pass
  std::size_t window_ = 0;  // turns in it
};

void erase(Rounds& rounds, std::size_t first, std::size_t count) {
  const auto begin = rounds.turns.begin() + static_cast<std::ptrdiff_t>(first);
  rounds.turns.erase(begin, begin + static_cast<std::ptrdiff_t>(count));
  if (first + count <= rounds.begin) {
    rounds.begin -= count;
  } else if (first < rounds.begin) {
    rounds.begin = first;
  }
}

bool RoundSimplifications::next(const Rounds& base, Rounds& changed) {
  while (pass_ != Pass::over) {
    changed = base;
    const Try result = change(changed);
    if (result == Try::over) {
      pass_ = static_cast<Pass>(static_cast<int>(pass_) + 1);
      next_ = window_ = 0;
    } else if (result == Try::changed && changed != base) {
      return true;
    }
  }
  return false;
}

RoundSimplifications::Try RoundSimplifications::change(Rounds& changed) {
  switch (pass_) {
    case Pass::values:
      for (RoundTurn& turn : changed.turns) turn.values.clear();
      return next_++ == 0 ? Try::changed : Try::over;
    case Pass::no_way:
      return without_way(changed);
    case Pass::windows:
      return without_window(changed);
    case Pass::merges:
      return with_merged_turn(changed);
    case Pass::delays:
      return with_delayed_turn(changed);
    case Pass::long_turns:
      return with_long_turn(changed);
    case Pass::short_rounds:
      return with_short_round(changed);
    case Pass::over:
      break;
  }
  return Try::over;
}

// Nothing leads to the round, then no round either: nobody is interrupted.
RoundSimplifications::Try RoundSimplifications::without_way(Rounds& changed) {
  if (next_ == 2) return Try::over;
  if (next_++ == 0) {
    erase(changed, 0, changed.begin);
  } else {
    changed = {};
  }
  return Try::changed;
}

// All windows of half of the turns, then of half as many, down to one turn.
RoundSimplifications::Try RoundSimplifications::without_window(Rounds& changed) {
  const std::size_t count = changed.turns.size();
  if (window_ == 0) window_ = std::max<std::size_t>(count / 2, 1);
  const std::size_t first = next_++ * std::max<std::size_t>(window_ / 2, 1);
  if (first + window_ <= count) {
    erase(changed, first, window_);
    return Try::changed;
  }
  if (window_ == 1) return Try::over;
  window_ /= 2;
  next_ = 0;
  return Try::unchanged;
}

// What a task does in its next turn it does in this one.
RoundSimplifications::Try RoundSimplifications::with_merged_turn(Rounds& changed) {
  const std::size_t turn = next_++;
  if (turn >= changed.turns.size()) return Try::over;
  RoundTurn& here = changed.turns[turn];
  std::size_t other = turn + 1;
  while (other < changed.turns.size() && changed.turns[other].task != here.task) ++other;
  const bool is_one_part = (turn < changed.begin) == (other < changed.begin);
  if (other >= changed.turns.size() || !is_one_part) return Try::unchanged;
  const RoundTurn& there = changed.turns[other];
  for (const auto& [steps, value] : there.values)
    here.values.emplace_back(here.steps + steps, value);
  const bool has_end = here.steps != RoundTurn::no_end && there.steps != RoundTurn::no_end;
  here.steps = has_end ? here.steps + there.steps : RoundTurn::no_end;
  erase(changed, other, 1);
  return Try::changed;
}

// On the way to the round a task does later what it does now: just before its next turn, or just
// before the round.
RoundSimplifications::Try RoundSimplifications::with_delayed_turn(Rounds& changed) {
  const std::size_t turn = next_++;
  if (turn >= changed.begin) return Try::over;
  std::size_t other = turn + 1;
  while (other < changed.begin && changed.turns[other].task != changed.turns[turn].task) ++other;
  const auto at = [&](std::size_t index) {
    return changed.turns.begin() + static_cast<std::ptrdiff_t>(index);
  };
  std::rotate(at(turn), at(turn + 1), at(other));
  return Try::changed;
}

// Every turn goes on until its task waits, then one of them.
RoundSimplifications::Try RoundSimplifications::with_long_turn(Rounds& changed) {
  const std::size_t which = next_++;
  if (which > changed.turns.size()) return Try::over;
  for (std::size_t i = 0; i < changed.turns.size(); ++i) {
    if (which == 0 || i + 1 == which) changed.turns[i].steps = RoundTurn::no_end;
  }
  return Try::changed;
}

std::vector<RoundTurn> turns_of_tasks(const Rounds& rounds) {
  std::vector<RoundTurn> all;
  for (std::size_t i = rounds.begin; i < rounds.turns.size(); ++i) {
    const RoundTurn& turn = rounds.turns[i];
    const auto is_same = [&](const RoundTurn& other) { return other.task == turn.task; };
    const auto known = std::find_if(all.begin(), all.end(), is_same);
    if (known == all.end()) {
      all.push_back({turn.task, turn.steps, {}});
    } else if (turn.steps != RoundTurn::no_end) {
      known->steps += turn.steps;
    }
  }
  return all;
}

// Each task of the round has one turn in it, of any length up to what it does in the round now, or
// until it waits. Before that the first task that does anything comes as far as it can, and then
// each of the others may come so far, too: then the turns of a round begin in the middle of what it
// does.
RoundSimplifications::Try RoundSimplifications::with_short_round(Rounds& changed) {
  constexpr std::uint32_t longest = 16;
  constexpr std::size_t most = 4096;
  std::vector<RoundTurn> tasks = turns_of_tasks(changed);
  std::size_t number = next_++;
  if (tasks.empty() || number >= most) return Try::over;
  const auto take_length = [&](const RoundTurn& turn) {
    const std::size_t lengths = std::min(turn.steps, longest) + std::size_t{1};
    return static_cast<std::uint32_t>(std::exchange(number, number / lengths) % lengths);
  };
  std::vector<std::uint32_t> lengths;
  for (const RoundTurn& turn : tasks) lengths.push_back(take_length(turn));
  const RoundTurn first{changed.turns.front().task, RoundTurn::no_end, {}};
  changed.turns = {first};
  for (const RoundTurn& turn : tasks) {
    const std::uint32_t length = take_length(turn);
    if (length != 0) changed.turns.push_back({turn.task, length, {}});
  }
  if (number != 0) return Try::over;
  changed.begin = changed.turns.size();
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const std::uint32_t steps = lengths[i] == 0 ? RoundTurn::no_end : lengths[i];
    changed.turns.push_back({tasks[i].task, steps, {}});
  }
  return Try::changed;
}

// --- The search ---

class RoundMinimiser final : public VariantSource {
 public:
  RoundMinimiser(std::uint64_t round, std::uint64_t max_steps)
      : round_(round), max_steps_(max_steps) {}

  void begin(Trace recorded) override;
  bool next(Attempt& attempt, std::uint64_t left) override;
  bool judge(const AttemptResult& result) override;
  void ended(Trace trace, const Outcome& outcome) override {
    if (kind_ == Kind::fewer_preemptions) fewer_->end(trace, outcome);
  }

 private:
  enum class Kind : std::uint8_t { confirmation, simpler, fewer_preemptions };

  bool confirm(Attempt& attempt);
  bool simplify(Attempt& attempt);
  bool search(Attempt& attempt);
  bool begin_search();
  bool is_time_to_confirm(std::uint64_t left) const;
  EndlessEnd lower_limit() const;
  void use(Told told);
  void refuse();
  bool is_confirmed(const AttemptResult& result);
  void consider(Told told);

  const std::uint64_t round_;  // of the recorded execution
  const std::uint64_t max_steps_;
  Told base_;                        // the simplest one so far, of which variants are tried
  Rounds turns_;                     // the same
  bool is_unconfirmed_ = true;       // it has not gone round up to the limit of steps
  std::optional<Told> confirmed_;    // the simplest one that has
  std::set<std::uint64_t> refused_;  // hashes of those that do not
  bool is_careful_ = true;           // each one is confirmed before others are tried
  Kind kind_ = Kind::simpler;        // of the attempt that runs
  RoundSimplifications simplifications_;
  bool has_improved_ = true;  // since they began
  bool has_searched_ = false;
  std::unique_ptr<Strategy> fewer_;  // preemptions
  RoundsStrategy rounds_;
  SameAgain same_again_;
  std::uint64_t budget_ = 0;  // half of it is for simplifications, a quarter for those after that
};

void RoundMinimiser::begin(Trace recorded) { use(told_of(recorded, round_)); }

void RoundMinimiser::use(Told told) {
  base_ = std::move(told);
  turns_ = base_.rounds();
}

bool RoundMinimiser::next(Attempt& attempt, std::uint64_t left) {
  if (budget_ == 0) budget_ = left;
  if (kind_ == Kind::confirmation && is_unconfirmed_) {
    if (!confirmed_) return false;
    refuse();
  }
  if (is_time_to_confirm(left)) return confirm(attempt);
  if (left < budget_ / 4) has_searched_ = true;
  const bool is_time_to_search = left < budget_ / 2;
  if (!is_time_to_search && simplify(attempt)) return true;
  if (search(attempt) || simplify(attempt)) return true;
  return is_unconfirmed_ && confirm(attempt);
}

bool RoundMinimiser::is_time_to_confirm(std::uint64_t left) const {
  return is_unconfirmed_ && (is_careful_ || left < budget_ / 4 + 2 * max_steps_);
}

bool RoundMinimiser::confirm(Attempt& attempt) {
  kind_ = Kind::confirmation;
  same_again_.follow(base_.steps);
  attempt.strategy = &same_again_;
  attempt.told = base_.end();
  attempt.extra_cost = max_steps_;
  return true;
}

// How far an execution is run that is tried: it goes round often enough to be known by then, even
// if the way to the round and the round itself are twice as long as they are now.
EndlessEnd RoundMinimiser::lower_limit() const {
  constexpr std::uint64_t rounds = 32;
  constexpr std::uint64_t more = 100;
  return {std::min(max_steps_, 2 * base_.steps.size() + rounds * base_.round + more), 0};
}

bool RoundMinimiser::simplify(Attempt& attempt) {
  kind_ = Kind::simpler;
  attempt.strategy = &rounds_;
  attempt.told = lower_limit();
  for (;;) {
    Rounds changed;
    if (simplifications_.next(turns_, changed)) {
      rounds_.follow(std::move(changed));
      return true;
    }
    if (!std::exchange(has_improved_, false)) return false;
    simplifications_.begin();
  }
}

bool RoundMinimiser::search(Attempt& attempt) {
  if (has_searched_ || !begin_search()) {
    has_searched_ = true;
    return false;
  }
  kind_ = Kind::fewer_preemptions;
  attempt.strategy = fewer_.get();
  attempt.told = lower_limit();
  return true;
}

// False: nothing is left that has fewer preemptions.
bool RoundMinimiser::begin_search() {
  const std::uint64_t preemptions = base_.size().preemptions;
  if (preemptions == 0) return false;
  try {
    if (fewer_ == nullptr) {
      fewer_ = make_strategy("pb:bound=" + std::to_string(preemptions - 1), 1);
    }
    return fewer_->begin();
  } catch (const Nondeterminism&) {
    return false;
  }
}

// --- What came of it ---

bool RoundMinimiser::judge(const AttemptResult& result) {
  if (!result.fails) return false;
  if (kind_ == Kind::confirmation) return is_confirmed(result);
  consider(told_of(result.trace, result.told.round));
  return false;
}

bool RoundMinimiser::is_confirmed(const AttemptResult& result) {
  if (result.told.steps != base_.steps.size() || result.told.round != base_.round) return false;
  is_unconfirmed_ = false;
  is_careful_ = is_careful_ && confirmed_;
  confirmed_ = base_;
  return true;
}

void RoundMinimiser::consider(Told told) {
  if (told.size() >= base_.size() || refused_.contains(hash_of(told.steps))) return;
  use(std::move(told));
  is_unconfirmed_ = has_improved_ = true;
  if (kind_ == Kind::simpler) return;
  has_searched_ = true;  // it has tried those with fewer preemptions
  simplifications_.begin();
}

// It comes to an end after all. From now on nothing is built on what is not confirmed.
void RoundMinimiser::refuse() {
  refused_.insert(hash_of(base_.steps));
  use(*confirmed_);
  is_unconfirmed_ = false;
  if (std::exchange(is_careful_, true)) return;
  has_improved_ = true;
  simplifications_.begin();
}

}  // namespace

std::unique_ptr<VariantSource> make_round_minimiser(std::uint64_t round, std::uint64_t max_steps) {
  return std::make_unique<RoundMinimiser>(round, max_steps);
}

}  // namespace ricercar::inline search
