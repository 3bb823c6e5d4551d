#include "strategy/priority.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace ricercar::inline strategy {
namespace {

Step step_of(std::uint32_t task, OperationKind kind, std::uint64_t object, std::uint64_t site = 0) {
  return {site, object, 0, task_id(task), kind, 0, 0, 0, 2};
}

Candidate candidate_at(Trace trace, std::uint64_t step, std::uint32_t task) {
  return {trace, step, task_id(task), 0, false, false, false, 0};
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
  EXPECT_EQ(priority_of(priorities, trace, 1, 2), nothing) << "inside of the first one";
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
