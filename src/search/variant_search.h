// A search among the variants of one recorded execution, instead of among all executions: the loop
// runs it as it runs any strategy, ten thousand to a hundred thousand executions a second where the
// program allows it. What is looked for is up to a VariantSource; a new question about an execution
// (the shortest one with the same failure, the nearest one without it, ...) is a new source and a
// goal in VariantRequest.
//
// Lives in the search's memory, as strategies do. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "search/control.h"
#include "search/failure.h"
#include "search/found_bugs.h"
#include "search/variant.h"
#include "strategy/strategy.h"

namespace ricercar::inline search {

// An execution to try: a variant, or what another strategy decides.
struct Attempt {
  Variant variant;
  Strategy* strategy = nullptr;  // the source's own; its begin() and end() are not called here
  EndlessEnd told;               // where it ends, if it goes round for ever
  std::uint64_t extra_cost = 0;  // in steps, besides those that are told
};

// What came of it.
struct AttemptResult {
  Trace trace;           // up to the failure; empty: neither of the two below
  EndlessEnd told;       // of a failure that goes round for ever, as in Finding::facts
  bool fails = false;    // in the same way as the recorded execution
  bool is_fine = false;  // nothing went wrong, and it came to its end
};

class VariantSource {
 public:
  virtual ~VariantSource() = default;

  // The recorded execution, which has failed again: the best one so far.
  virtual void begin(Trace recorded) = 0;
  // Another one to try; false: nothing is left. `left`: of the budget, in steps.
  virtual bool next(Attempt& attempt, std::uint64_t left) = 0;
  // Called once for each attempt. True: it is the best one so far, and the answer unless a better
  // one comes.
  virtual bool judge(const AttemptResult& result) = 0;
  // Called before, with all that the attempt has done.
  virtual void ended(Trace, const Outcome&) {}
  // What was found besides the answer.
  virtual void tell(LastChance&) const {}
};

class VariantSearch final : public Strategy {
 public:
  VariantSearch(const Control& control, std::unique_ptr<VariantSource> source);

  bool begin() override;
  std::size_t choose(const ChoicePoint& point) override;
  void end(Trace trace, const Outcome& outcome) override;
  Coverage coverage() const override { return {}; }

  // What went wrong in the execution that has just ended, or that nothing did. True: this one is
  // the answer, unless a better one comes.
  bool found(const Finding& finding, std::vector<std::uint64_t> places);
  // The execution that has just ended has taken its process with it.
  void process_lost();
  // How far the execution that runs next is told, if it goes round for ever.
  EndlessEnd told() const;
  // What is looked for; empty until the recorded execution has been run again.
  const std::optional<Failure>& failure() const { return failure_; }
  void tell(LastChance& found) const { source_->tell(found); }

 private:
  std::size_t follow_recorded(const ChoicePoint& point);
  std::uint64_t cost_of(std::uint64_t steps) const;

  const Control& control_;
  const std::unique_ptr<VariantSource> source_;
  std::optional<Failure> failure_;
  VariantFollower follower_;
  Attempt attempt_;
  std::uint64_t next_decision_ = 0;  // of the recorded ones
  std::uint64_t spent_ = 0;          // of the budget
  bool is_first_ = true;             // the recorded execution runs, or is to be run
  bool has_begun_ = false;
  bool is_judged_ = true;  // the last execution
};

std::unique_ptr<VariantSource> make_minimiser();
// Of a failure that goes round for ever, with such a round and limit of steps.
std::unique_ptr<VariantSource> make_round_minimiser(std::uint64_t round, std::uint64_t max_steps);
std::unique_ptr<VariantSource> make_last_chance_search();

// With the source that the request asks for.
std::unique_ptr<Strategy> make_variant_search(const Control& control);

}  // namespace ricercar::inline search
