#include "strategy/delaying/stratified_plan.h"

#include <algorithm>
#include <mutex>

#include "base/error.h"
#include "base/random.h"

namespace ricercar::inline strategy {

StratifiedPlan::StratifiedPlan(StratifiedOptions options)
    : options_(std::move(options)),
      cache_(options_.cache_bytes, options_.when_full),
      programs_(0, StateCache::WhenFull::stop),
      frontier_(options_.memory, options_.file) {
  frontier_.push({});
}

// --- Strata ---

Stratum StratifiedPlan::current_stratum() const {
  const std::uint64_t before = strata_.empty() ? 0 : strata_.back().states;
  Stratum stratum;
  stratum.unit = options_.unit;
  stratum.cost = cost_bound_;
  stratum.seconds = seconds_in_stratum();
  stratum.states = states_;
  stratum.new_states = states_ - before;
  stratum.frontier = frontier_.size() - in_stratum_;
  return stratum;
}

void StratifiedPlan::check_cache() const {
  if (strata_.size() != 1 || cache_.dropped() == 0) return;
  throw UsageError(
      "a cache of " + std::to_string(options_.cache_bytes) +
      " bytes is too small for the first stratum: it has " + std::to_string(states_) +
      " states, so give it at least cache=" + std::to_string(StateCache::bytes_for(states_)));
}

void StratifiedPlan::next_stratum() {
  if (finished_) return;
  strata_.push_back(current_stratum());
  stratum_began_ = now_seconds();
  check_cache();
  finished_ = frontier_.empty();
  in_stratum_ = frontier_.size();
  if (!finished_) cost_bound_ += options_.step;
}

// --- One who works alone ---

bool StratifiedPlan::take(SearchItem& item) {
  if (!started_) stratum_began_ = now_seconds();
  started_ = true;
  if (stack_.empty() && in_stratum_ == 0) next_stratum();
  if (finished_) return false;
  if (stack_.empty()) {
    item = frontier_.pop();
    --in_stratum_;
  } else {
    item = std::move(stack_.back());
    stack_.pop_back();
  }
  if (item.has_more()) {
    stack_.push_back(item);
    ++stack_.back().last.chosen;
  }
  return true;
}

bool StratifiedPlan::add(const VisitedState& state) {
  if (!is_shared_) return insert(state);
  const std::lock_guard lock(monitor_);
  return insert(state);
}

bool StratifiedPlan::insert(const VisitedState& state) {
  if (!cache_.insert(state.key)) return false;
  if (!options_.exact || programs_.insert(state.fingerprint)) ++states_;
  return true;
}

void StratifiedPlan::leave_items(std::vector<SearchItem>& items) {
  for (SearchItem& item : items) {
    if (item.cost <= cost_bound_) {
      stack_.push_back(std::move(item));
    } else {
      frontier_.push(std::move(item));
    }
  }
  items.clear();
}

TaskSet StratifiedPlan::meet(const Fingerprint& key, const TaskSet& asleep, bool is_new) {
  TaskSet missing;
  std::vector<std::uint16_t> both;
  const auto known = asleep_.find(mix64(key.low) ^ key.high);
  if (is_new && known == asleep_.end()) {
    asleep.for_each([&](TaskId task) { both.push_back(static_cast<std::uint16_t>(task)); });
  } else if (known != asleep_.end()) {
    for (const std::uint16_t task : known->second) {
      if (asleep.contains(task_id(task))) {
        both.push_back(task);
      } else {
        missing.insert(task_id(task));
      }
    }
  }
  if (!both.empty()) {
    asleep_[mix64(key.low) ^ key.high] = std::move(both);
  } else if (known != asleep_.end()) {
    asleep_.erase(known);
  }
  return missing;
}

// --- Several ---

void StratifiedPlan::share() {
  is_shared_ = true;
  cache_.share();
}

bool StratifiedPlan::take_shared(SearchItem& item, std::uint64_t& number) {
  const std::lock_guard lock(monitor_);
  for (;;) {
    if (given_up_) return false;
    // What the others have not finished belongs to this stratum and may leave something for the
    // next one.
    if (in_stratum_ != 0 || !stack_.empty() || turn_ == handed_out_) break;
    monitor_.wait();
  }
  const bool more = take(item);
  if (more) number = handed_out_++;
  if (!more) monitor_.notify_all();
  return more;
}

void StratifiedPlan::wait_for_turn(std::uint64_t number) {
  const std::lock_guard lock(monitor_);
  while (turn_ != number && !given_up_) monitor_.wait();
}

bool StratifiedPlan::commit(std::uint64_t number, const std::vector<VisitedState>& states,
                            std::vector<SearchItem>& items, bool beyond) {
  wait_for_turn(number);
  const std::lock_guard lock(monitor_);
  if (given_up_) return true;
  const auto is_known = [&](const VisitedState& state) { return cache_.contains(state.key); };
  if (std::any_of(states.begin(), states.end(), is_known)) return false;
  for (const VisitedState& state : states) insert(state);
  if (beyond) beyond_ = true;
  leave_items(items);
  return true;
}

void StratifiedPlan::pass(std::uint64_t number) {
  const std::lock_guard lock(monitor_);
  if (turn_ == number) ++turn_;
  monitor_.notify_all();
}

void StratifiedPlan::give_up() {
  const std::lock_guard lock(monitor_);
  given_up_ = true;
  monitor_.notify_all();
}

// --- Anybody ---

std::string StratifiedPlan::counted(std::uint64_t cost) const {
  std::string unit = name_of(options_.unit);
  if (cost == 1) unit.pop_back();
  return std::to_string(cost) + " " + unit;
}

Coverage StratifiedPlan::coverage() const {
  const std::lock_guard lock(monitor_);
  const std::string count = std::to_string(states_);
  const std::string exactly = cache_.dropped() == 0 ? "" : " at most (the cache was full)";
  if (finished_ && !beyond_) return {true, "every state: " + count + exactly};
  if (finished_) {
    return {true,
            "every state within " + counted(options_.bound) + options_.by + ": " + count + exactly};
  }
  std::string text;
  if (!strata_.empty()) {
    text = "every state within " + counted(strata_.back().cost) + options_.by + ": " +
           std::to_string(strata_.back().states) + exactly + "; ";
  }
  return {false, text + "states within " + counted(cost_bound_) + ", not yet all: " + count};
}

std::string StratifiedPlan::progress() const {
  const std::lock_guard lock(monitor_);
  std::string text = counted(cost_bound_) + ", " + std::to_string(states_) + " states, " +
                     std::to_string(frontier_.size()) + " wait";
  if (frontier_.size_on_disk() != 0) {
    text += " (" + std::to_string(frontier_.size_on_disk()) + " on disk)";
  }
  return text;
}

std::vector<Stratum> StratifiedPlan::strata() const {
  const std::lock_guard lock(monitor_);
  std::vector<Stratum> all = strata_;
  if (!finished_) all.push_back(current_stratum());
  return all;
}

std::uint64_t StratifiedPlan::bytes() const {
  return cache_.bytes() + programs_.bytes() + frontier_.bytes();
}

}  // namespace ricercar::inline strategy
