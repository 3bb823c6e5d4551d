// The default: a portfolio whose budget moves. Two members cover the executions systematically, one
// of each trace (dpor) and fewest preemptions first (pb); one runs only what shows statements in an
// order that was never seen, and soon ends (hapset); the others sample, each with another idea of
// which orders are worth more. Members take turns, one execution each; they share nothing, so each
// keeps its own guarantee. A part of the turns moves towards those members that still show
// something new (strategy/portfolio_turns.h): a Mazurkiewicz trace that no execution of the search
// had before.
//
// When one of those that cover has run everything, nothing is left for the others either, and the
// search is over; but if the program has code that nobody sees, dpor's word is not enough.
//
// Statements are known to hapset without the calls that led there: so it works in every world, and
// no step of any execution costs more because of it.
#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "base/flat_map.h"
#include "base/random.h"
#include "model/trace_hash.h"
#include "strategy/kept.h"
#include "strategy/portfolio_turns.h"
#include "strategy/registry.h"

namespace ricercar::inline strategy {
namespace {

struct PortfolioMember {
  std::string_view specification;
  double share;           // of the turns, in the beginning; half of it stays
  double share_in_large;  // the same, where executions are long or have many tasks
};

// The bound of pb is larger than any execution has preemptions.
constexpr PortfolioMember portfolio_members[] = {
    {"dpor", 10, 1},
    {"pb:bound=1000000", 1, 0.4},
    {"rff", 3.5, 3.5},
    {"random", 1.5, 1},
    {"surw", 1.5, 5},
    {"pos", 1, 0.7},
    {"hapset:prune=yes,context=0", 1, 0.4},
    {"pct:depth=2", 0.3, 0.1},
    {"pct:depth=3", 0.3, 0.3},
    {"pct:depth=5", 0.3, 1},
};
constexpr std::size_t by_trace = 0, by_preemptions = 1;  // those that cover
constexpr std::size_t portfolio_size = std::size(portfolio_members);

// Nobody comes to the end of all orders of an execution that has so many tasks, or is so long, and
// one after the other is the wrong way to go through them: they differ in the last few steps only.
// Then those that sample have the turns, and most of all those that learn what the program does.
constexpr std::uint32_t many_tasks = 16;
constexpr std::size_t long_execution = 64;  // steps

// Of a small program the first orders one after the other are worth the most.
constexpr std::uint64_t first_turns = 3;

constexpr std::array<double, portfolio_size> portfolio_shares(double PortfolioMember::*share) {
  std::array<double, portfolio_size> shares = {};
  for (std::size_t i = 0; i < portfolio_size; ++i) shares[i] = portfolio_members[i].*share;
  return shares;
}

class PortfolioStrategy final : public KeptWrapper<PortfolioStrategy> {
 public:
  PortfolioStrategy(std::uint64_t seed, bool has_unseen_code)
      : has_unseen_code_(has_unseen_code),
        turns_(portfolio_shares(&PortfolioMember::share), first_turns) {
    for (std::size_t i = 0; i < portfolio_size; ++i) {
      add_member(make_strategy(portfolio_members[i].specification, mix64(seed + i)));
    }
    capabilities_.remove<LearnsContexts>();
    current_ = members_.front().get();
    offer_to_be_kept();
  }

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(turns_, turn_, is_ready_, executions_, is_over_, shown_);
  }

  // A member that covers begins its next execution as soon as the last one is over: so the search
  // ends with the last execution that there is.
  bool begin() override {
    if (covers(turn_)) prepare(turn_);
    while (!is_over_) {
      turn_ = turns_.next();
      if (prepare(turn_)) break;
    }
    if (is_over_) return false;
    current_ = members_[turn_].get();
    is_ready_[turn_] = false;
    left_ = 0;
    return true;
  }

  std::size_t choose(const ChoicePoint& point) override { return current_->choose(point); }

  void left(Trace pending) override {
    left_ = pending.size();
    Forwarded<WantsRest>::left(pending);
  }

  void end(Trace trace, const Outcome& outcome) override {
    if (auto* learns = current_->as<LearnsContexts>()) tell_calls(*learns, trace.size());
    current_->end(trace, outcome);
    ++executions_[turn_];
    if (is_large(trace)) turns_.set_shares(portfolio_shares(&PortfolioMember::share_in_large));
    bool& is_known = shown_.at(hash_.of(trace) | 1, false);
    turns_.learn(turn_, trace.size(), !is_known);
    is_known = true;
  }

  Coverage coverage() const override {
    std::string text;
    std::uint64_t others =
        std::accumulate(executions_.begin(), executions_.end(), std::uint64_t{0});
    for (std::size_t i = 0; i < portfolio_size; ++i) {
      if (!covers(i)) continue;
      const Coverage covered = members_[i]->coverage();
      if (covered.complete && is_all(i))
        return {true, covered.text + and_others(others - executions_[i])};
      const bool is_told = i == by_trace || executions_[i] != 0;
      if (is_told) text += (text.empty() ? "" : "; ") + covered.text;
      others -= executions_[i];
    }
    return {false, text + and_others(others)};
  }

  std::string progress() const override {
    return progress_of(*members_[turns_.is_left(by_trace) ? by_trace : by_preemptions]);
  }

 private:
  static bool covers(std::size_t member) { return member == by_trace || member == by_preemptions; }

  // What it has covered is everything. What commutes is known of the code that is seen only.
  bool is_all(std::size_t member) const {
    return member == by_preemptions || (member == by_trace && !has_unseen_code_);
  }

  // False: it has nothing left.
  bool prepare(std::size_t member) {
    if (is_ready_[member] || !turns_.is_left(member)) return is_ready_[member];
    is_ready_[member] = members_[member]->begin();
    if (is_ready_[member]) return true;
    turns_.retire(member);
    is_over_ = is_all(member) && members_[member]->coverage().complete;
    return false;
  }

  static bool is_large(Trace trace) {
    return trace.size() > long_execution ||
           std::any_of(trace.begin(), trace.end(),
                       [](const Step& step) { return index(step.task) >= many_tasks; });
  }

  // As if everything were called from the outermost function.
  void tell_calls(LearnsContexts& learns, std::size_t steps) {
    calls_.assign(steps + left_, CallContexts::outermost);
    const std::span<const ContextId> all = calls_;
    learns.called_from(all.first(steps), all.subspan(steps));
  }

  static std::string and_others(std::uint64_t executions) {
    if (executions == 0) return "";
    return "; and " + std::to_string(executions) +
           (executions == 1 ? " other execution" : " other executions");
  }

  const bool has_unseen_code_;
  PortfolioTurns turns_;
  std::size_t turn_ = by_trace;
  std::array<bool, portfolio_size> is_ready_ =
      {};  // it has begun an execution that did not run yet
  std::array<std::uint64_t, portfolio_size> executions_ = {};
  bool is_over_ = false;
  TraceHash hash_;
  FlatMap<bool> shown_;           // traces
  std::size_t left_ = 0;          // tasks that have not ended, in the execution that ends
  std::vector<ContextId> calls_;  // until the end of an execution
};

}  // namespace

std::unique_ptr<Strategy> make_portfolio(const Parameters& parameters) {
  return std::make_unique<PortfolioStrategy>(parameters.seed, parameters.resources.has_unseen_code);
}

}  // namespace ricercar::inline strategy
