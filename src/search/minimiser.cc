// Looks for the shortest execution that fails in the same way as a recorded one: with the fewest
// preemptions, of these with the fewest switches, then steps, then injected faults.
//
// First it makes the recorded execution simpler as long as that leads to the same failure: values
// as they would be by default, tasks left out, turns of a task put together, in large windows first
// (as delta debugging does: Zeller and Hildebrandt, Simplifying and Isolating Failure-Inducing
// Input, TSE 2002, with turns of tasks in the place of input). What comes out cannot be made
// simpler by one such change, but may have more preemptions than another execution. So then it
// searches: executions with fewer preemptions than the best one, those with the fewest first (pb).
// What that finds is made simpler again.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "model/execution_size.h"
#include "search/variant.h"
#include "search/variant_search.h"
#include "strategy/registry.h"

namespace ricercar::inline search {
namespace {

// The changes of a variant that may make it simpler, one after the other.
class Simplifications {
 public:
  // From the first one on.
  void begin(const Variant& base);
  // The next one of this variant, which may have become another one since; false: there is none.
  bool next(const Variant& base, Variant& changed);

 private:
  enum class Pass : std::uint8_t {
    values,
    tasks,
    windows,
    merges,
    delays,
    long_turns,
    one_end,
    two_ends,
    one_preemption,
    over
  };
  // A task goes on until it has made so many steps, and then another one does.
  struct Preemption {
    Turn turn;
    TaskId next;
  };
  enum class Try : std::uint8_t { changed, unchanged, over };

  Try change(Variant& changed);
  Try without_values(Variant& changed);
  Try without_task(Variant& changed);
  Try with_grouped_window(Variant& changed);
  Try with_merged_turn(Variant& changed);
  Try with_delayed_turn(Variant& changed);
  Try with_long_turn(Variant& changed);
  Try with_one_end(Variant& changed);
  Try with_two_ends(Variant& changed);
  Try with_one_preemption(Variant& changed);

  Pass pass_ = Pass::values;
  std::size_t next_ = 0;                 // of the pass
  std::size_t window_ = 0;               // turns in it
  std::vector<Preemption> preemptions_;  // to try, one in each execution
};

class Minimiser final : public VariantSource {
 public:
  void begin(Trace recorded) override;
  bool next(Attempt& attempt, std::uint64_t left) override;
  bool judge(const AttemptResult& result) override;
  void ended(Trace trace, const Outcome& outcome) override;

 private:
  bool simplify(Attempt& attempt);
  bool search(Attempt& attempt);

  ExecutionSize size_;  // of the best execution so far
  Variant base_;        // which is this
  Simplifications simplifications_;
  bool has_improved_ = true;   // since the simplifications began
  bool is_searching_ = false;  // with fewer preemptions
  bool has_searched_ = false;  // and there are none, or it would take too long
  std::unique_ptr<Strategy> search_;
  std::uint64_t budget_ = 0;  // half of it is for simplifications, a tenth for those that come last
};

using Turns = std::vector<Turn>;

// All that a task does in the window it does in its first turn there, or in its last one.
Turns grouped(const Turns& turns, std::size_t begin, std::size_t end, bool in_last) {
  constexpr std::size_t nowhere = ~std::size_t{0};
  std::array<std::size_t, max_tasks> places;
  places.fill(nowhere);
  Turns result(turns.begin(), turns.begin() + static_cast<std::ptrdiff_t>(begin));
  if (in_last) {
    for (std::size_t i = begin; i < end; ++i) places[index(turns[i].task)] = i;
    for (std::size_t i = begin; i < end; ++i) {
      if (places[index(turns[i].task)] == i) result.push_back(turns[i]);
    }
  } else {
    for (std::size_t i = begin; i < end; ++i) {
      std::size_t& place = places[index(turns[i].task)];
      if (place == nowhere) {
        place = result.size();
        result.push_back(turns[i]);
      }
      result[place].until = turns[i].until;
    }
  }
  result.insert(result.end(), turns.begin() + static_cast<std::ptrdiff_t>(end), turns.end());
  return result;
}

// The next turn of the same task; the number of turns: there is none.
std::size_t next_turn(const Turns& turns, std::size_t turn) {
  std::size_t next = turn + 1;
  while (next < turns.size() && turns[next].task != turns[turn].task) ++next;
  return next;
}

void erase(Turns& turns, std::size_t at) {
  turns.erase(turns.begin() + static_cast<std::ptrdiff_t>(at));
}

// --- What may be simpler ---

void Simplifications::begin(const Variant& base) {
  pass_ = Pass::values;
  next_ = 0;
  window_ = base.turns.size();
}

bool Simplifications::next(const Variant& base, Variant& changed) {
  while (pass_ != Pass::over) {
    changed = base;
    const Try result = change(changed);
    if (result == Try::over) {
      pass_ = static_cast<Pass>(static_cast<int>(pass_) + 1);
      next_ = 0;
    } else if (result == Try::changed && changed != base) {
      return true;
    }
  }
  return false;
}

Simplifications::Try Simplifications::change(Variant& changed) {
  switch (pass_) {
    case Pass::values:
      return without_values(changed);
    case Pass::tasks:
      return without_task(changed);
    case Pass::windows:
      return with_grouped_window(changed);
    case Pass::merges:
      return with_merged_turn(changed);
    case Pass::delays:
      return with_delayed_turn(changed);
    case Pass::long_turns:
      return with_long_turn(changed);
    case Pass::one_end:
      return with_one_end(changed);
    case Pass::two_ends:
      return with_two_ends(changed);
    case Pass::one_preemption:
      return with_one_preemption(changed);
    case Pass::over:
      break;
  }
  return Try::over;
}

// All of them, then one after the other.
Simplifications::Try Simplifications::without_values(Variant& changed) {
  const std::size_t which = next_++;
  if (which > changed.values.size()) return Try::over;
  if (which == 0) {
    changed.values.clear();
  } else {
    changed.values.erase(changed.values.begin() + static_cast<std::ptrdiff_t>(which - 1));
  }
  return Try::changed;
}

// The task may still run when nobody else can.
Simplifications::Try Simplifications::without_task(Variant& changed) {
  const TaskId task = task_id(static_cast<std::uint32_t>(next_++));
  if (index(task) >= max_tasks) return Try::over;
  std::erase_if(changed.turns, [task](const Turn& turn) { return turn.task == task; });
  return Try::changed;
}

// Windows of all turns, then of half as many each, which overlap by half.
Simplifications::Try Simplifications::with_grouped_window(Variant& changed) {
  constexpr std::size_t smallest = 3;
  window_ = std::min(window_, changed.turns.size());
  if (window_ < smallest) return Try::over;
  const std::size_t step = std::max<std::size_t>(window_ / 2, 1);
  const std::size_t start = next_ / 2 * step;
  const bool in_last = next_ % 2 == 1;
  if (start > 0 && start + step >= changed.turns.size()) {
    window_ = window_ == smallest ? 0 : std::max(window_ / 2, smallest);
    next_ = 0;
    return Try::unchanged;
  }
  ++next_;
  changed.turns =
      grouped(changed.turns, start, std::min(start + window_, changed.turns.size()), in_last);
  return Try::changed;
}

// What a task does in its next turn it does in this one.
Simplifications::Try Simplifications::with_merged_turn(Variant& changed) {
  const std::size_t turn = next_++;
  if (turn >= changed.turns.size()) return Try::over;
  const std::size_t other = next_turn(changed.turns, turn);
  if (other == changed.turns.size()) return Try::unchanged;
  changed.turns[turn].until = changed.turns[other].until;
  erase(changed.turns, other);
  return Try::changed;
}

// What a task does in this turn it does in its next one, or not at all; the last turn of all is the
// one that fails.
Simplifications::Try Simplifications::with_delayed_turn(Variant& changed) {
  const std::size_t turn = next_++;
  if (turn >= changed.turns.size()) return Try::over;
  erase(changed.turns, turn);
  return Try::changed;
}

Simplifications::Try Simplifications::with_long_turn(Variant& changed) {
  const std::size_t turn = next_++;
  if (turn >= changed.turns.size()) return Try::over;
  changed.turns[turn].until = Turn::no_end;
  return Try::changed;
}

// Every turn goes on until its task waits or ends, but those that were preempted; then but one.
Simplifications::Try Simplifications::with_one_end(Variant& changed) {
  const std::size_t which = next_ / 2;
  changed.moves_on = next_++ % 2 == 1;
  if (which > changed.turns.size()) return Try::over;
  for (std::size_t i = 0; i < changed.turns.size(); ++i) {
    Turn& turn = changed.turns[i];
    const bool keeps_end = which == 0 ? turn.is_preempted : i + 1 == which;
    if (!keeps_end) turn.until = Turn::no_end;
  }
  return Try::changed;
}

// But two, if there are not too many.
Simplifications::Try Simplifications::with_two_ends(Variant& changed) {
  constexpr std::size_t most_turns = 40;
  const std::size_t count = changed.turns.size();
  const std::size_t which = next_++;
  if (count > most_turns || which >= count * count) return Try::over;
  const std::size_t first = which / count;
  const std::size_t second = which % count;
  if (first >= second) return Try::unchanged;
  for (std::size_t i = 0; i < count; ++i) {
    if (i != first && i != second) changed.turns[i].until = Turn::no_end;
  }
  return Try::changed;
}

// Tasks in the order in which they first had a turn, each until it waits or ends; `last` of each is
// how far it came.
Turns long_turns_of(const Turns& turns, Turns& last) {
  Turns result;
  for (const Turn& turn : turns) {
    const auto is_same = [&turn](const Turn& other) { return other.task == turn.task; };
    const auto known = std::find_if(last.begin(), last.end(), is_same);
    if (known != last.end()) {
      known->until = turn.until;
      continue;
    }
    last.push_back(turn);
    result.push_back({turn.task, Turn::no_end});
  }
  return result;
}

// One preemption alone, wherever it could be: if there are several.
Simplifications::Try Simplifications::with_one_preemption(Variant& changed) {
  const auto is_preempted = [](const Turn& turn) { return turn.is_preempted; };
  const auto count = std::count_if(changed.turns.begin(), changed.turns.end(), is_preempted);
  if (count < 2) return Try::over;
  Turns last;
  Turns turns = long_turns_of(changed.turns, last);
  if (next_ == 0) {
    preemptions_.clear();
    for (const Turn& turn : last) {
      for (std::uint32_t until = 1; until < turn.until; ++until) {
        for (const Turn& other : last) {
          if (other.task != turn.task) preemptions_.push_back({{turn.task, until}, other.task});
        }
      }
    }
  }
  if (next_ == preemptions_.size()) return Try::over;
  const Preemption& preemption = preemptions_[next_++];
  std::size_t at = 0;
  while (turns[at].task != preemption.turn.task) ++at;
  turns.insert(turns.begin() + static_cast<std::ptrdiff_t>(at),
               {preemption.turn, {preemption.next, Turn::no_end}});
  changed.turns = std::move(turns);
  return Try::changed;
}

// --- The search ---

void Minimiser::begin(Trace recorded) {
  size_ = size_of(recorded);
  base_ = variant_of(recorded);
  simplifications_.begin(base_);
}

bool Minimiser::next(Attempt& attempt, std::uint64_t left) {
  if (budget_ == 0) budget_ = left;
  if (left < budget_ / 10) has_searched_ = true;
  const bool is_time_to_search = !has_searched_ && left < budget_ / 2;
  if (!is_searching_ && !is_time_to_search && simplify(attempt)) return true;
  if (!has_searched_ && search(attempt)) return true;
  is_searching_ = false;
  return simplify(attempt);
}

// Again and again, until nothing helps any more.
bool Minimiser::simplify(Attempt& attempt) {
  for (;;) {
    if (simplifications_.next(base_, attempt.variant)) return true;
    if (!std::exchange(has_improved_, false)) return false;
    simplifications_.begin(base_);
  }
}

bool Minimiser::search(Attempt& attempt) {
  if (size_.preemptions == 0) has_searched_ = true;
  if (has_searched_) return false;
  is_searching_ = true;
  try {
    if (search_ == nullptr) {
      search_ = make_strategy("pb:bound=" + std::to_string(size_.preemptions - 1), 1);
    }
    has_searched_ = !search_->begin();
  } catch (const Nondeterminism&) {
    has_searched_ = true;
  }
  attempt.strategy = search_.get();
  return !has_searched_;
}

void Minimiser::ended(Trace trace, const Outcome& outcome) {
  if (is_searching_) search_->end(trace, outcome);
}

// What the search finds has the fewest preemptions of all: it has tried those with fewer.
bool Minimiser::judge(const AttemptResult& result) {
  if (!result.fails) return false;
  const ExecutionSize size = size_of(result.trace);
  if (size >= size_) return false;
  size_ = size;
  base_ = variant_of(result.trace);
  has_improved_ = true;
  if (!std::exchange(is_searching_, false)) return true;
  has_searched_ = true;
  simplifications_.begin(base_);
  return true;
}

}  // namespace

std::unique_ptr<VariantSource> make_minimiser() { return std::make_unique<Minimiser>(); }

}  // namespace ricercar::inline search
