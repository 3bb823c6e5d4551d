// Which findings an execution goes on through: in a search those that are known, or are not to fail
// it; in a replay those that the search had gone on through.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "search/control.h"
#include "search/variant_search.h"
#include "threads/finding_filter.h"
#include "worker/finding_stacks.h"

namespace ricercar::inline worker {

// In a search. With --keep-going a race is noted as a bug in the middle of the execution, which
// goes on: everything behind it is explored as if it were not there.
class SearchFindings final : public FindingFilter {
 public:
  explicit SearchFindings(Control& control) : control_(control) {}

  // The others run on when a part of the tasks is deadlocked.
  void set_late_deadlocks(bool late) { late_deadlocks_ = late; }

  bool goes_on(const Outcome& finding) override;
  bool goes_on_through_race(std::uint64_t site, std::uint64_t other_site) override;

  // The finding is not to fail the search, and has been counted.
  bool is_left_out(const Outcome& finding);

 private:
  bool is_suppressed(const Outcome& finding) { return suppression_of(finding) != 0; }
  std::uint32_t suppression_of(const Outcome& finding);
  void note(const Outcome& finding, std::uint32_t suppression);

  Control& control_;
  bool late_deadlocks_ = false;
  // What the tool has said about the stacks of findings.
  std::map<std::vector<std::uint64_t>, std::uint32_t> answers_;
};

// In a replay: the first ones, as many as the schedule says.
class ReplayFindings final : public FindingFilter {
 public:
  explicit ReplayFindings(std::uint64_t count) : left_(count) {}

  bool goes_on(const Outcome&) override {
    if (left_ == 0) return false;
    --left_;
    return true;
  }
  bool goes_on_through_race(std::uint64_t, std::uint64_t) override { return goes_on({}); }

 private:
  std::uint64_t left_;
};

// In a search among variants of an execution: in that execution what it had gone on through, and
// then, if there was any, all but the failure that is looked for. What was ignored still is.
class VariantFindings final : public FindingFilter {
 public:
  explicit VariantFindings(const Control& control)
      : control_(control), recorded_(control.request.passed) {}

  void serve(const VariantSearch& search) { search_ = &search; }
  bool goes_on(const Outcome& finding) override;
  bool goes_on_through_race(std::uint64_t, std::uint64_t) override { return false; }

 private:
  const Control& control_;
  const VariantSearch* search_ = nullptr;
  ReplayFindings recorded_;
  UsersPlaces places_;
};

}  // namespace ricercar::inline worker
