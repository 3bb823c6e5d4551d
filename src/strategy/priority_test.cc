#include "strategy/priority.h"

#include <gtest/gtest.h>

#include <map>

#include "base/error.h"
#include "strategy/candidate_facts.h"

namespace ricercar::inline strategy {
namespace {

Step step_of(std::uint32_t task, OperationKind kind, std::uint64_t object, std::uint64_t site = 0) {
  return {site, object, 0, task_id(task), kind, 0, 0, 0, 2};
}

Candidate candidate_at(Trace trace, std::uint64_t step, std::uint32_t task) {
  return {trace, step, task_id(task), 1, true};
}

std::uint64_t priority_of(Priorities& priorities, Trace trace, std::uint64_t step,
                          std::uint32_t task, Trace left = {}) {
  priorities.begin(trace, left);
  return priorities.of(candidate_at(trace, step, task)) >> 48;
}

std::string error_of(std::string_view text, const PriorityContext& context = {}) {
  try {
    Priorities(text, 1, context);
    return "";
  } catch (const UsageError& error) {
    return error.what();
  }
}

// --- Specifications ---

TEST(Priorities, TakeTheNamesBehindMethodUpToTheNextPriority) {
  const std::vector<PriorityItem> items = parse_priorities("mdpor+method=push+Queue::pop+pb");
  ASSERT_EQ(items.size(), 3U);
  EXPECT_EQ(items[0].name, "mdpor");
  EXPECT_EQ(items[1].name, "method");
  EXPECT_EQ(items[1].arguments, (std::vector<std::string>{"push", "Queue::pop"}));
  EXPECT_EQ(items[2].name, "pb");
  EXPECT_TRUE(items[2].arguments.empty());
}

TEST(Priorities, TakeMethodsAndVariablesTogether) {
  const std::vector<PriorityItem> items = parse_priorities("method=push+::rand+var=x");
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(items[0].arguments, (std::vector<std::string>{"push", "::rand"}));
  EXPECT_EQ(items[1].arguments, std::vector<std::string>{"x"});
}

TEST(Priorities, AreOneToFour) {
  EXPECT_EQ(error_of("pb+ss+dpor+mdpor"), "");
  EXPECT_NE(error_of("").find("one to four"), std::string::npos);
  EXPECT_NE(error_of("pb+ss+dpor+mdpor+rand").find("one to four"), std::string::npos);
}

TEST(Priorities, RefuseWhatDoesNotExist) {
  EXPECT_EQ(error_of("mdpr"),
            "there is no priority 'mdpr'; did you mean 'mdpor'? (`ricercar strategies` lists them "
            "all)");
  EXPECT_EQ(error_of("pb+"), "there is no priority '' (`ricercar strategies` lists them all)");
  EXPECT_NE(error_of("methd=push").find("'method'"), std::string::npos);
}

TEST(Priorities, RefuseNamesWhereThereAreNoneAndNoNamesWhereTheyAreWanted) {
  EXPECT_EQ(error_of("pb=2"), "the priority 'pb' takes no names, but got 'pb=2'");
  for (const char* text : {"method", "method=", "var=x++pb", "pb+var"}) {
    EXPECT_NE(error_of(text).find("wants names"), std::string::npos) << text;
  }
}

TEST(Priorities, RefuseTheSameOneTwice) {
  EXPECT_EQ(error_of("pb+pb"), "the priority 'pb' is given twice");
  EXPECT_NE(error_of("method=a+pb+method=b").find("method=NAME+NAME"), std::string::npos);
}

TEST(Priorities, SayThatNamesNeedTheTool) {
  EXPECT_NE(error_of("method=push").find("`ricercar run`"), std::string::npos);
  EXPECT_EQ(error_of("method=push", {.is_check = true}), "");
}

class Constant : public PriorityFunction {
 public:
  std::uint16_t priority(const Candidate&) override { return 7; }
};

TEST(Priorities, MayBeTheProgramsOwn) {
  const std::vector<OwnPriority> own = {{"seven", [] { return std::make_unique<Constant>(); }}};
  Priorities priorities("seven", 1, {.own = own});
  EXPECT_EQ(priority_of(priorities, {}, 0, 0), 7U);
  EXPECT_EQ(error_of("sevn", {.own = own}),
            "there is no priority 'sevn'; did you mean 'seven'? (`ricercar strategies` lists them "
            "all)");
  EXPECT_EQ(error_of("unheard-of", {.is_check = true}), "");
}

// --- The order of what an execution could have done instead ---

// A hand-made execution.
class HandMade {
 public:
  explicit HandMade(const SearchSpace& space = {}) : space_(space) {}
  HandMade(const HandMade&) = delete;
  HandMade& operator=(const HandMade&) = delete;

  // `task` does this at the next step, where these could run. By default the last one goes on, or
  // else the first.
  HandMade& step(std::uint32_t task, OperationKind kind, std::uint64_t object,
                 const std::vector<std::uint32_t>& enabled) {
    Step step = step_of(task, kind, object);
    step.options = static_cast<std::uint16_t>(enabled.size());
    if (kind == OperationKind::dequeue) step.open = open_to_one;
    trace_.push_back(step);
    if (enabled.size() > 1) push_point(task, enabled);
    last_ = task;
    return *this;
  }
  // What this task would have done next when the execution ended.
  HandMade& left(std::uint32_t task, OperationKind kind, std::uint64_t object) {
    left_.push_back(step_of(task, kind, object));
    left_.back().flags = step_blocked;
    return *this;
  }

  // All that could have been done instead, as "step:task", what comes first in front and what is
  // equal side by side.
  std::string order(const std::string& specification, const PriorityContext& context = {}) {
    Priorities priorities(specification, 1, context);
    return order(priorities);
  }
  std::string order(Priorities& priorities) {
    races_.set_left(left_);
    races_.rewind(0);
    races_.extend(trace_, Outcome{});
    facts_.begin(nullptr, nullptr);
    priorities.begin(trace_, left_);
    std::map<std::uint64_t, std::string> bins;
    for (std::uint32_t at = 0; at < points_.size(); ++at) {
      points_.for_each_enabled(at, [&](std::uint16_t task) {
        if (task == points_[at].chosen || task == points_[at].by_default) return;
        Candidate candidate = candidate_at(trace_, points_[at].step, task);
        candidate.preemptions = points_[at].preemptions_with(task);
        candidate.preempts = points_[at].cost(task) != 0;
        facts_.complete(candidate, at, task);
        bins[priorities.of(candidate)] +=
            std::to_string(points_[at].step) + ":" + std::to_string(task) + " ";
      });
    }
    std::string text;
    for (const auto& [priority, bin] : bins) text += (text.empty() ? "" : "| ") + bin;
    return text.substr(0, text.size() - 1);
  }

 private:
  void push_point(std::uint32_t task, const std::vector<std::uint32_t>& enabled) {
    TaskSet set;
    for (const std::uint32_t other : enabled) set.insert(task_id(other));
    const bool goes_on = set.contains(task_id(last_));
    const std::vector<Operation> pending(8);
    const OptionList options(&set, set.size(), pending.data());
    const ChoicePoint point{ChoiceKind::schedule, trace_.size() - 1,
                            goes_on && trace_.size() > 1 ? task_id(last_) : no_task, options};
    DefaultPoint& level = points_.push(point, static_cast<std::uint16_t>(task));
    level.by_default = choice_of(point, default_option(point));
    level.asleep = 0;
  }

  const SearchSpace space_;
  std::vector<Step> trace_;
  std::vector<Step> left_;
  std::uint32_t last_ = 0;
  DecisionPoints<DefaultPoint> points_;
  ExecutionRaces races_;
  CandidateFacts facts_{space_, races_, points_};
};

constexpr OperationKind store = OperationKind::atomic_store;
constexpr OperationKind load = OperationKind::atomic_load;
constexpr std::uint64_t p = 800, q = 1600;

// Task 0 stores to p and q, then 1 to q, then 2 to p.
struct TwoRaces : HandMade {
  TwoRaces() {
    step(0, store, p, {0, 1, 2}).step(0, store, q, {0, 1, 2});
    step(1, store, q, {1, 2}).step(2, store, p, {2});
  }
};

TEST(PriorityOrder, OfPbIsThatOfThePreemptions) {
  EXPECT_EQ(TwoRaces().order("pb"), "0:1 0:2 2:2 | 1:1 1:2");
}

TEST(PriorityOrder, OfDporHasTheReversalsOfRacesFirst) {
  EXPECT_EQ(TwoRaces().order("dpor"), "0:2 1:1 | 0:1 1:2 2:2");
}

TEST(PriorityOrder, OfTwoHasTheSecondWhereTheFirstIsEqual) {
  EXPECT_EQ(TwoRaces().order("dpor+pb"), "0:2 | 1:1 | 0:1 2:2 | 1:2");
  EXPECT_EQ(TwoRaces().order("pb+dpor"), "0:2 | 0:1 2:2 | 1:1 | 1:2");
}

TEST(PriorityOrder, OfMdporHasLaterWhatPersistentSetsAskForOnlyToBeSafe) {
  // Task 2 stores what 0 stored, but could not run before 1 has sent it a message; 3 has nothing to
  // do with it.
  const std::uint64_t queue = objects::queue(2);
  HandMade run;
  run.step(0, store, p, {0, 1, 3}).step(1, OperationKind::send, queue, {1, 3});
  run.step(2, OperationKind::dequeue, queue, {2, 3}).step(2, store, p, {2, 3});
  run.step(3, store, q, {3});
  EXPECT_EQ(run.order("dpor"), "0:1 0:3 | 1:3 2:3 3:3");
  EXPECT_EQ(run.order("mdpor"), "0:1 0:3 | 1:3 2:3 3:3");
  // A race whose task could have run comes first.
  HandMade direct;
  direct.step(0, store, p, {0, 1, 3}).step(0, store, q, {0, 1, 3});
  direct.step(1, OperationKind::send, queue, {1, 3});
  direct.step(2, OperationKind::dequeue, queue, {2, 3}).step(2, store, p, {2, 3});
  direct.step(3, store, q, {3});
  EXPECT_EQ(direct.order("dpor"), "0:1 0:3 1:3 | 1:1 2:3 3:3 4:3");
  EXPECT_EQ(direct.order("mdpor"), "1:3 | 0:1 0:3 | 1:1 2:3 3:3 4:3");
}

TEST(PriorityOrder, OfSsHasLastWhoComesBeforeAtAnEarlierPointAndCommutes) {
  // At the first step 0 would have run by default, and 2 comes behind 1. What 0 does is independent
  // of the first two steps, and not of the third.
  HandMade run;
  run.step(1, store, p, {0, 1, 2}).step(1, load, p, {0, 1, 2}).step(1, store, q, {0, 1, 2});
  run.step(1, load, p, {0, 1, 2}).step(0, store, q, {0, 2}).step(2, store, p, {2});
  EXPECT_EQ(run.order("ss"), "0:2 1:2 2:2 3:0 3:2 4:2 | 1:0 2:0");
}

TEST(PriorityOrder, OfSsKnowsTheOrderOfSiblings) {
  // 2 is taken, so 0, the default, and 1 come before.
  HandMade run;
  run.step(2, store, p, {0, 1, 2, 3}).step(2, store, p, {0, 1, 2, 3});
  run.step(0, store, q, {0, 1, 3}).step(1, load, p, {1, 3}).step(3, store, q, {3});
  // What 1 does depends on what 2 did.
  EXPECT_EQ(run.order("ss"), "0:1 0:3 1:1 1:3 2:1 2:3 3:3 | 1:0");
}

TEST(PriorityOrder, OfSsLeavesOutSiblingsThatTheBoundDoesNotAllow) {
  // At the second step another one than 0 is a preemption, so with a bound of none 1 is no sibling.
  for (const std::uint64_t bound : {0, 1}) {
    HandMade run(SearchSpace{.is_bounded = true, .bound = bound});
    run.step(0, store, 2400, {0, 1, 2}).step(2, store, p, {0, 1, 2}).step(2, load, p, {0, 1, 2});
    run.step(0, store, q, {0, 1}).step(1, store, 3200, {1});
    EXPECT_EQ(run.order("ss"),
              bound == 0 ? "0:1 0:2 1:1 2:1 3:1 | 2:0" : "0:1 0:2 1:1 | 2:0 2:1 3:1")
        << bound;
  }
}

TEST(PriorityOrder, OfSsKnowsWhatATaskWantedThatNeverCameToIt) {
  struct ThreeStores : HandMade {
    ThreeStores() { step(1, store, p, {0, 1}).step(1, store, q, {0, 1}).step(1, store, q, {0, 1}); }
  };
  EXPECT_EQ(ThreeStores().order("ss"), "1:0 2:0") << "nothing is known of 0";
  EXPECT_EQ(ThreeStores().left(0, OperationKind::lock, p).order("ss"), "1:0 2:0");
  EXPECT_EQ(ThreeStores().left(0, OperationKind::lock, q).order("ss"), "2:0 | 1:0");
}

TEST(PriorityOrder, OfSsKnowsNoSleepInAReducedSpace) {
  HandMade run(SearchSpace{.reduces = true});
  run.step(1, store, p, {0, 1}).step(1, store, p, {0, 1}).step(0, store, q, {0});
  EXPECT_EQ(run.order("ss"), "1:0");
}

TEST(PriorityOrder, OfNovelHasFirstWhatContinuesAnUnseenPast) {
  Priorities priorities("novel", 1);
  EXPECT_EQ(TwoRaces().order(priorities), "0:1 0:2 1:1 1:2 2:2");
  EXPECT_EQ(TwoRaces().order(priorities), "0:1 0:2 1:1 1:2 2:2") << "all of it is known now";
  // The same but for the order of steps that commute: after the first two it is the same past.
  HandMade one;
  one.step(0, store, p, {0, 1, 2}).step(1, store, q, {0, 1, 2}).step(2, load, p, {0, 2, 3});
  HandMade another;
  another.step(1, store, q, {0, 1, 2}).step(0, store, p, {0, 1, 2}).step(2, load, p, {0, 2, 3});
  Priorities both("novel", 1);
  EXPECT_EQ(one.order(both), "0:1 0:2 1:2 2:3");
  EXPECT_EQ(another.order(both), "1:2 | 0:2 2:3");
}

TEST(PriorityOrder, OfRandIsTheSameWithTheSameSeed) {
  EXPECT_EQ(TwoRaces().order("rand"), TwoRaces().order("rand"));
}

// --- method and var ---

constexpr AddressRange named_ranges[] = {{100, 200}, {300, 310}};

TEST(MethodPriority, IsHighIfBothStepsAreNamedMediumForOneAndLowForNone) {
  Priorities priorities("method=f", 1, {.functions = named_ranges});
  const Step trace[] = {
      step_of(0, OperationKind::lock, 1, 150),  // inside
      step_of(0, OperationKind::unlock, 1, 250),
      step_of(1, OperationKind::lock, 1, 305),  // inside
      step_of(2, OperationKind::lock, 1, 99),
  };
  EXPECT_EQ(priority_of(priorities, trace, 0, 1), 0U);
  EXPECT_EQ(priority_of(priorities, trace, 0, 2), 1U);
  EXPECT_EQ(priority_of(priorities, trace, 1, 1), 1U);
  EXPECT_EQ(priority_of(priorities, trace, 1, 2), 2U);
}

TEST(MethodPriority, IsMediumAtMostWhereNothingIsPreempted) {
  Priorities priorities("method=f", 1, {.functions = named_ranges});
  const Step trace[] = {step_of(0, OperationKind::lock, 1, 150),
                        step_of(1, OperationKind::lock, 1, 150),
                        step_of(2, OperationKind::lock, 1, 99)};
  priorities.begin(trace, {});
  Candidate candidate = candidate_at(trace, 0, 1);
  EXPECT_EQ(priorities.of(candidate) >> 48, 0U);
  candidate.preempts = false;
  EXPECT_EQ(priorities.of(candidate) >> 48, 1U);
  candidate.task = task_id(2);
  EXPECT_EQ(priorities.of(candidate) >> 48, 2U);
}

TEST(MethodPriority, TakesASiteForTheCallBeforeIt) {
  Priorities priorities("method=f", 1, {.functions = named_ranges});
  const Step trace[] = {step_of(0, OperationKind::lock, 1, 100),   // the call ends before 100
                        step_of(1, OperationKind::lock, 1, 200)};  // a call at the very end
  EXPECT_EQ(priority_of(priorities, trace, 0, 1), 1U);
}

TEST(MethodPriority, CountsWhatANamedFunctionCalls) {
  Priorities priorities("method=f", 1, {.functions = named_ranges});
  Step trace[] = {step_of(0, OperationKind::lock, 1, 500), step_of(1, OperationKind::lock, 1, 500)};
  EXPECT_EQ(priority_of(priorities, trace, 0, 1), 2U);
  trace[1].flags = step_named;
  EXPECT_EQ(priority_of(priorities, trace, 0, 1), 1U);
}

TEST(MethodPriority, KnowsWhatATaskWantedThatNeverCameToIt) {
  Priorities priorities("method=f", 1, {.functions = named_ranges});
  const Step trace[] = {step_of(0, OperationKind::lock, 1, 150)};
  const Step left[] = {step_of(1, OperationKind::lock, 1, 150)};
  EXPECT_EQ(priority_of(priorities, trace, 0, 1), 1U);
  EXPECT_EQ(priority_of(priorities, trace, 0, 1, left), 0U);
}

TEST(VariablePriority, IsHighIfBothStepsTouchOneOfTheVariables) {
  Priorities priorities("var=x+y", 1, {.variables = named_ranges});
  const Step trace[] = {
      step_of(0, OperationKind::atomic_load, 100),
      step_of(0, OperationKind::atomic_store, 310),
      step_of(1, OperationKind::atomic_store, 309),
      step_of(2, OperationKind::atomic_store, 200),
  };
  EXPECT_EQ(priority_of(priorities, trace, 0, 1), 0U);
  EXPECT_EQ(priority_of(priorities, trace, 0, 2), 1U);
  EXPECT_EQ(priority_of(priorities, trace, 1, 1), 1U);
  EXPECT_EQ(priority_of(priorities, trace, 1, 2), 2U);
}

// --- pattern ---

constexpr std::uint64_t a = 1000, b = 2000, c = 3000, x = 4000;

enum Pattern : std::uint64_t { lock_order_cycle, check_then_act, unprotected_pair, loop, nothing };

std::vector<Step> nested(std::uint32_t task, std::uint64_t outer, std::uint64_t inner) {
  return {step_of(task, OperationKind::lock, outer), step_of(task, OperationKind::lock, inner),
          step_of(task, OperationKind::unlock, inner), step_of(task, OperationKind::unlock, outer)};
}

std::vector<Step> joined(const std::vector<std::vector<Step>>& parts) {
  std::vector<Step> result;
  for (const std::vector<Step>& part : parts) {
    result.insert(result.end(), part.begin(), part.end());
  }
  return result;
}

TEST(PatternPriority, PrefersToCloseACycleOfLocks) {
  Priorities priorities("pattern", 1);
  const std::vector<Step> trace = joined({nested(1, a, b), nested(2, b, a), nested(3, b, c)});
  EXPECT_EQ(priority_of(priorities, trace, 1, 2), lock_order_cycle);
  EXPECT_EQ(priority_of(priorities, trace, 0, 2), nothing) << "task 1 holds nothing yet";
  EXPECT_EQ(priority_of(priorities, trace, 1, 3), nothing) << "task 3 never wants a";
  EXPECT_EQ(priority_of(priorities, trace, 2, 2), nothing) << "task 1 has both";
}

TEST(PatternPriority, FindsNoCycleInLocksThatAreTakenInOneOrder) {
  Priorities priorities("pattern", 1);
  const std::vector<Step> trace = joined({nested(1, a, b), nested(2, a, b)});
  EXPECT_EQ(priority_of(priorities, trace, 1, 2), nothing);
}

TEST(PatternPriority, ClosesACycleOfThree) {
  Priorities priorities("pattern", 1);
  const std::vector<Step> trace = joined({nested(1, a, b), nested(2, b, c), nested(3, c, a)});
  EXPECT_EQ(priority_of(priorities, trace, 1, 2), lock_order_cycle);
  EXPECT_EQ(priority_of(priorities, trace, 1, 3), nothing) << "task 2 has to come first";
}

TEST(PatternPriority, RemembersTheOrderOfLocksFromEarlierExecutions) {
  Priorities priorities("pattern", 1);
  const std::vector<Step> first = nested(2, b, a);
  const std::vector<Step> second = nested(1, a, b);
  EXPECT_EQ(priority_of(priorities, second, 1, 2), nothing);
  EXPECT_EQ(priority_of(priorities, first, 0, 1), nothing);
  EXPECT_EQ(priority_of(priorities, second, 1, 2), lock_order_cycle);
}

TEST(PatternPriority, DoesNotTakeAFailedTryForALock) {
  Priorities priorities("pattern", 1);
  std::vector<Step> trace = joined({nested(1, a, b), nested(2, b, a)});
  trace[5].kind = OperationKind::try_lock;
  trace[5].flags = step_failed;
  EXPECT_EQ(priority_of(priorities, trace, 1, 2), nothing);
}

TEST(PatternPriority, PrefersAWriteBetweenCheckAndAct) {
  Priorities priorities("pattern", 1);
  const Step trace[] = {
      step_of(1, OperationKind::atomic_load, x),  step_of(1, OperationKind::atomic_load, a),
      step_of(1, OperationKind::atomic_store, x), step_of(2, OperationKind::atomic_load, b),
      step_of(2, OperationKind::atomic_store, x), step_of(3, OperationKind::atomic_load, b),
      step_of(3, OperationKind::atomic_load, x),
  };
  EXPECT_EQ(priority_of(priorities, trace, 2, 2), check_then_act);
  EXPECT_EQ(priority_of(priorities, trace, 2, 3), nothing) << "task 3 only reads";
  EXPECT_EQ(priority_of(priorities, trace, 0, 2), nothing) << "nothing was checked yet";
}

TEST(PatternPriority, LeavesACompareExchangeAlone) {
  Priorities priorities("pattern", 1);
  const Step trace[] = {
      step_of(1, OperationKind::atomic_load, x),
      step_of(1, OperationKind::atomic_compare_exchange, x),
      step_of(2, OperationKind::atomic_load, b),
      step_of(2, OperationKind::atomic_store, x),
  };
  EXPECT_EQ(priority_of(priorities, trace, 1, 2), nothing);
}

TEST(PatternPriority, PrefersAVisitBetweenTwoCriticalSections) {
  Priorities priorities("pattern", 1);
  std::vector<Step> trace = {
      step_of(1, OperationKind::lock, a, 10), step_of(1, OperationKind::unlock, a, 11),
      step_of(1, OperationKind::lock, a, 20), step_of(1, OperationKind::unlock, a, 21),
      step_of(2, OperationKind::lock, a, 10), step_of(2, OperationKind::unlock, a, 11),
  };
  EXPECT_EQ(priority_of(priorities, trace, 2, 2), check_then_act);
  trace[2].site = 10;
  EXPECT_EQ(priority_of(priorities, trace, 2, 2), loop);
  EXPECT_EQ(priority_of(priorities, trace, 1, 2), nothing) << "inside the first one";
}

TEST(PatternPriority, PrefersPairsWithoutACommonLock) {
  Priorities priorities("pattern", 1);
  const Step trace[] = {
      step_of(1, OperationKind::lock, a),   step_of(1, OperationKind::write, x),
      step_of(1, OperationKind::unlock, a), step_of(2, OperationKind::read, x),
      step_of(3, OperationKind::lock, a),   step_of(3, OperationKind::read, x),
  };
  EXPECT_EQ(priority_of(priorities, trace, 1, 2), unprotected_pair);
  EXPECT_EQ(priority_of(priorities, trace, 3, 3), nothing) << "two reads, and a lock before";
  const Step left[] = {step_of(4, OperationKind::write, x)};
  EXPECT_EQ(priority_of(priorities, trace, 3, 4, left), unprotected_pair);
  EXPECT_EQ(priority_of(priorities, trace, 3, 4), nothing);
}

TEST(Priorities, DecideInTheirOrder) {
  Priorities priorities("var=x+pb", 1, {.variables = named_ranges});
  const Step trace[] = {step_of(0, OperationKind::lock, 100), step_of(1, OperationKind::lock, 100),
                        step_of(2, OperationKind::lock, 1)};
  priorities.begin(trace, {});
  Candidate far = candidate_at(trace, 0, 1);
  far.preemptions = 5;
  EXPECT_LT(priorities.of(far), priorities.of(candidate_at(trace, 0, 2)));
  EXPECT_LT(priorities.of(candidate_at(trace, 0, 1)), priorities.of(far));
}

}  // namespace
}  // namespace ricercar::inline strategy
