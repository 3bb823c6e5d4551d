// A strategy that is written down and made anew after every few executions does what one does that
// nobody disturbs: the same executions in the same order, the same words about them.
#include "strategy/kept.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "strategy/enumerated_programs.h"

namespace ricercar::inline strategy {
namespace {

using toy::Execution;
using toy::Program;

// A few hundred executions tell as much as all of them. A portfolio has rounds later than that.
std::uint64_t most_executions(const std::string& specification) {
  return specification == "portfolio" ? 500 : 120;
}

struct Course {
  std::vector<toy::Schedule> schedules;
  std::vector<std::string> words;  // after each execution

  bool operator==(const Course&) const = default;
};

void note(Course& course, const Execution& execution, const Strategy& strategy) {
  course.schedules.push_back(execution.schedule);
  const Coverage coverage = strategy.coverage();
  course.words.push_back(coverage.text + (coverage.complete ? " complete " : " ") +
                         progress_of(strategy) + std::to_string(first_part_of(strategy)));
}

std::unique_ptr<Strategy> made_anew(const Strategy& strategy, const std::string& specification) {
  KeptOut out;
  strategy.as<CanBeKept>()->save(out);
  std::unique_ptr<Strategy> again = make_strategy(specification, 7);
  KeptIn in(out.bytes());
  again->as<CanBeKept>()->load(in);
  EXPECT_TRUE(in.is_at_end()) << specification;
  KeptOut same;
  again->as<CanBeKept>()->save(same);
  EXPECT_EQ(same.bytes().size(), out.bytes().size()) << specification;
  return again;
}

// `every`: it is made anew after so many executions; 0: never.
Course course_of(const Program& program, const std::string& specification, std::uint64_t every,
                 std::uint64_t max_steps, bool saves_states = false) {
  std::unique_ptr<Strategy> strategy = make_strategy(specification, 7);
  Course course;
  Execution execution;
  while (course.schedules.size() < most_executions(specification) &&
         toy::execute(program, *strategy, execution, max_steps, saves_states)) {
    note(course, execution, *strategy);
    const bool is_disturbed = every != 0 && course.schedules.size() % every == 0;
    if (is_disturbed) strategy = made_anew(*strategy, specification);
  }
  return course;
}

class KeptStrategies : public testing::TestWithParam<const char*> {};

TEST_P(KeptStrategies, GoOnAsIfNothingHadBeen) {
  std::size_t executions = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const Program program = toy::random_program(seed, seed % 3);
    const std::uint64_t max_steps = seed % 5 == 0 ? 7 : toy::no_limit;
    const Course undisturbed = course_of(program, GetParam(), 0, max_steps);
    executions += undisturbed.schedules.size();
    for (const std::uint64_t every : {1, 7, 50}) {
      EXPECT_EQ(course_of(program, GetParam(), every, max_steps), undisturbed)
          << GetParam() << ", program " << seed << ", made anew after every " << every;
    }
  }
  EXPECT_GT(executions, 200u) << "there was something to disturb";
}

INSTANTIATE_TEST_SUITE_P(
    All, KeptStrategies,
    testing::Values("random", "random:slow=yes", "pct", "pct:depth=5,steps=20", "pos", "irs", "dfs",
                    "pb", "pb:bound=0", "pb:iterative=no", "mixed", "mixed:members=nodes",
                    "coverage", "coverage:score=unique", "dpor", "bpor", "bpor:bound=1",
                    "bestfirst", "bestfirst:space=all,priority=rand",
                    "bestfirst:space=pb=2,priority=novel+pb",
                    "bestfirst:space=persistent,priority=pattern+dpor",
                    "bestfirst:space=all,priority=ss+mdpor,measure=yes",
                    "bestfirst:priority=hapset+pb", "hapset", "hapset:base=pb,replan=yes",
                    "hapset:prune=yes", "hapset:prune=no,learn=5", "ss", "ss:values=both,group=7",
                    "ss:explorer=prr", "ses", "ses:explorer=prr,step=3", "ses:exact=yes",
                    "ses:reduce=yes", "ses:cycles=yes", "pb:cache=yes", "surw",
                    "surw:interest=object", "rff", "portfolio"));

// Saved states belong to a process: what would have gone back to one is run from the start.
TEST(KeptStrategies, GoOnWithoutTheStatesOfAnotherProcess) {
  for (const char* specification : {"ses", "ses:explorer=rtc,step=2", "ses:reduce=yes"}) {
    std::size_t executions = 0;
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      const Program program = toy::random_program(seed, seed % 3);
      const auto words = [&](std::uint64_t every) {
        return course_of(program, specification, every, toy::no_limit, true).words;
      };
      const std::vector<std::string> undisturbed = words(0);
      executions += undisturbed.size();
      EXPECT_EQ(words(seed % 7 + 1), undisturbed) << specification << ", program " << seed;
    }
    EXPECT_GT(executions, 200u) << "there was something to disturb";
  }
}

// A strategy that forgets to say it is refused with a message, which is better than being wrong.
TEST(KeptStrategies, AreAllButThese) {
  const std::set<std::string> known = {"ses+ss"};
  std::set<std::string> missing;
  for (const StrategyInfo& info : strategies()) {
    const auto strategy = make_strategy(info.name, 1);
    if (strategy->as<CanBeKept>() == nullptr) missing.insert(std::string(info.name));
  }
  EXPECT_EQ(missing, known);
}

TEST(KeptStrategies, DoNotReadBeyondTheEnd) {
  const auto strategy = make_strategy("dpor", 1);
  KeptOut out;
  strategy->as<CanBeKept>()->save(out);
  KeptIn in(out.bytes().first(out.bytes().size() - 1));
  EXPECT_THROW(make_strategy("dpor", 1)->as<CanBeKept>()->load(in), std::exception);
}

}  // namespace
}  // namespace ricercar::inline strategy
