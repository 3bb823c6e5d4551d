// Pieces of a search, searched in any order and by any number of workers, give the result of one
// worker that searches everything. The workers are simulated: no processes.
#include "search/piece_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/random.h"
#include "search/found_bugs.h"
#include "search/run_order.h"
#include "search/world_process.h"
#include "strategy/registry.h"
#include "strategy/toy_world.h"

namespace ricercar::inline search {
namespace {

using toy::Program;

// What there is to search, and what becomes of its executions.
struct Subject {
  Program program;
  Program larger = {};        // what it is once an execution has taught that it has more points
  std::uint32_t teaches = 0;  // one out of so many executions does; 0: none
  std::uint32_t fails = 0;    // one out of so many fails
  std::uint64_t limit = 0;    // of executions
  bool keep_going = true;     // after a failure
};

std::string text_of(const toy::Schedule& schedule) {
  std::string text;
  for (const int decision : schedule) text += std::to_string(decision) + " ";
  return text;
}

bool is_one_of(const std::string& text, std::uint32_t share, std::uint64_t salt) {
  return share != 0 && mix64(std::hash<std::string>()(text) + salt) % share == 0;
}

// A search of a whole subject, or of a piece, by one strategy: every execution is noted as a bug,
// with its schedule as the message, if its schedule is a new one.
class Searcher {
 public:
  Searcher(const Subject& subject, Strategy& strategy) : subject_(subject), strategy_(strategy) {}

  // Until the strategy has come to its end, or something has ended it.
  PieceResult search(bool is_large, std::uint64_t most) {
    PieceResult result;
    noted_.clear();
    toy::Execution execution;
    const Program& program = is_large ? subject_.larger : subject_.program;
    while ((most == 0 || result.figures.executions < most) && !result.found_end) {
      if (!toy::execute(program, strategy_, execution)) break;
      ++result.figures.executions;
      result.figures.steps += execution.schedule.size();
      const std::string text = text_of(execution.schedule);
      note(result, text);
      const bool fails = is_one_of(text, subject_.fails, 1);
      result.found_end = fails && !subject_.keep_going;
      if (!is_large && is_one_of(text, subject_.teaches, 2)) {
        result.knowledge = "large";
        break;
      }
    }
    return result;
  }

  // The same, of a piece; one by one if its executions count so.
  PieceResult search_piece(bool is_large, std::uint64_t most) {
    if (strategy_.as<HasPieces>()->execution_plan() == nullptr) return search(is_large, most);
    PieceResult result;
    for (bool goes_on = true; goes_on;) {
      RunResult run{search(is_large, 1), {}};
      if (run.result.figures.executions == 0) break;
      ++result.figures.executions;
      goes_on = result.figures.executions != most && !run.result.found_end && !run.result.knowledge;
      result.runs.push_back(to_bytes(run));
    }
    return result;
  }

 private:
  void note(PieceResult& result, const std::string& text) {
    if (!noted_.insert(text).second) return;
    PieceBug& bug = result.bugs.emplace_back();
    bug.outcome.kind = OutcomeKind::assertion;
    copy_text(bug.outcome.message, text);
    bug.execution = result.figures.executions;
  }

  const Subject& subject_;
  Strategy& strategy_;
  std::unordered_set<std::string> noted_;
};

struct Result {
  std::uint64_t executions = 0;
  std::uint64_t steps = 0;
  std::string coverage;
  bool complete = false;
  Status status = Status::idle;
  std::vector<std::pair<std::uint64_t, std::string>> found;  // in which execution which schedule

  bool operator==(const Result&) const = default;
};

Result result_of(Control& whole) {
  Result result{whole.executions, whole.steps, whole.coverage, whole.complete, whole.status, {}};
  for (const FoundBug* bug = whole.first_bug; bug != nullptr; bug = bug->next)
    result.found.emplace_back(bug->execution, bug->outcome.message);
  return result;
}

std::unique_ptr<Control> control_for(const Subject& subject) {
  std::unique_ptr<Control> control = private_control();
  control->request.max_executions = subject.limit;
  return control;
}

// As the search loop does it.
Result alone(const Subject& subject, const std::string& specification) {
  const std::unique_ptr<Control> whole = control_for(subject);
  std::unique_ptr<Strategy> strategy = make_strategy(specification, 1);
  bool is_large = false;
  for (;;) {
    const std::uint64_t left = subject.limit == 0 ? 0 : subject.limit - whole->executions;
    const PieceResult part = Searcher(subject, *strategy).search(is_large, left);
    merge_piece(*whole, part);
    const bool is_at_limit = subject.limit != 0 && whole->executions == subject.limit;
    whole->status = part.found_end || is_at_limit ? Status::stopped : Status::finished;
    if (part.knowledge) {
      is_large = true;
      auto* can = strategy->as<CanRestart>();
      can != nullptr ? can->restart() : void(strategy = make_strategy(specification, 1));
    }
    if (!part.knowledge || part.found_end || is_at_limit) break;
  }
  const Coverage coverage = strategy->coverage();
  copy_text(whole->coverage, coverage.text);
  whole->complete = coverage.complete;
  return result_of(*whole);
}

struct Worker {
  std::unique_ptr<Strategy> strategy;
  std::optional<PieceTask> task;
};

// So many workers, of whom any one may be the next to be done, or to be lost.
Result together(const Subject& subject, const std::string& specification, std::size_t count,
                std::uint64_t seed, bool are_lost = false, std::uint64_t* in_vain = nullptr) {
  const std::unique_ptr<Control> whole = control_for(subject);
  const std::unique_ptr<WholeSearch> search = make_whole_search(
      *whole, [&] { return make_strategy(specification, 1); }, 8 * count);
  WholeSearch& order = *search;
  std::vector<Worker> workers(count);
  for (Worker& worker : workers) worker.strategy = make_strategy(specification, 1);
  Random random(seed);
  while (!order.is_over()) {
    Worker& worker = workers[random.below(static_cast<std::uint32_t>(count))];
    if (!worker.task) worker.task = order.next();
    if (!worker.task || random.below(3) == 0) continue;
    // What passes between processes is bytes.
    const PieceTask task = piece_task_from(to_bytes(*std::exchange(worker.task, std::nullopt)));
    if (are_lost && random.below(4) == 0) {
      order.give_back(task.number);
      continue;
    }
    auto& pieces = *worker.strategy->as<HasPieces>();
    pieces.take(task.piece);
    PieceResult result =
        Searcher(subject, *worker.strategy).search_piece(!task.knowledge.empty(), task.most);
    result.end = pieces.give();
    order.done(task.number, piece_result_from(to_bytes(result)));
  }
  if (in_vain != nullptr) *in_vain += order.executions_in_vain();
  return result_of(*whole);
}

const char* const specifications[] = {"dpor",
                                      "bpor",
                                      "bpor:bound=3",
                                      "dfs",
                                      "pb:bound=3",
                                      "pb:bound=2,iterative=no",
                                      "random",
                                      "pos",
                                      "pct:depth=3",
                                      "surw",
                                      "surw:interest=object",
                                      "rff",
                                      "irs",
                                      "ss",
                                      "ss:explorer=prr,values=both",
                                      "bestfirst",
                                      "bestfirst:priority=pb",
                                      "bestfirst:priority=rand",
                                      "bestfirst:priority=novel+pb",
                                      "bestfirst:space=persistent",
                                      "bestfirst:space=persistent,priority=pattern+mdpor",
                                      "bestfirst:space=all,priority=pb",
                                      "bestfirst:space=all,priority=ss+rand",
                                      "bestfirst:space=pb=2,priority=mdpor+pattern",
                                      "bestfirst:space=pb=2,priority=novel"};

bool ends(const std::string& specification) { return strategy_info(specification).ends_by_itself; }

// With so many workers, the next time with others: a test has some subjects.
std::size_t other_workers() {
  static std::size_t turn = 0;
  constexpr std::size_t counts[] = {1, 3, 7, 3};
  return counts[turn++ % std::size(counts)];
}

// The sanitizers make all of this ten times as slow: with them every third one meets a subject,
// each time another one.
#ifdef RICERCAR_SANITIZED
constexpr std::size_t share = 3;
constexpr std::uint64_t drawn_programs = 3;
#else
constexpr std::size_t share = 1;
constexpr std::uint64_t drawn_programs = 4;
#endif

bool has_its_turn() {
  static std::size_t turn = 0;
  return turn++ % share == 0;
}

void expect_equal(const Subject& subject) {
  for (const std::string specification : specifications) {
    if (!has_its_turn()) continue;
    Subject each = subject;
    if (!ends(specification) && each.limit == 0) each.limit = 1500;
    const Result expected = alone(each, specification);
    EXPECT_GT(expected.executions, 0U);
    const std::size_t workers = other_workers();
    const Result got = together(each, specification, workers, workers, workers == 3);
    EXPECT_EQ(got.executions, expected.executions) << specification << " " << workers;
    EXPECT_EQ(got.coverage, expected.coverage) << specification << " " << workers;
    EXPECT_TRUE(got == expected) << specification << " " << workers;
  }
}

const Program three_tasks = toy::independent({3, 3, 2});  // 560 executions
const Program with_locks = toy::critical_sections(3, 2);

TEST(PieceOrder, ManyWorkersSearchWhatOneDoes) {
  for (int i = 0; i < 2; ++i) expect_equal({three_tasks});
  for (int i = 0; i < 2; ++i) expect_equal({with_locks});
}

TEST(PieceOrder, TheFirstBugIsTheFirst) {
  for (const std::uint32_t fails : {5, 400}) expect_equal({three_tasks, {}, 0, fails, 0, false});
}

TEST(PieceOrder, ALimitOfExecutionsIsKept) {
  for (const std::uint64_t limit : {1, 64, 65, 559, 560})
    expect_equal({three_tasks, {}, 0, 0, limit});
}

TEST(PieceOrder, WhatWasSearchedWithTooFewPointsDoesNotCount) {
  const Program larger = toy::independent({3, 3, 3});
  for (const std::uint32_t teaches : {3, 100}) {
    expect_equal({three_tasks, larger, teaches, 0, 0});
    expect_equal({three_tasks, larger, teaches, 0, 200});
    // The execution that teaches may be the one that fails, or the last one.
    expect_equal({three_tasks, larger, teaches, teaches, 0, false});
  }
  expect_equal({three_tasks, larger, 1, 0, 1});
  expect_equal({three_tasks, larger, 1, 1, 0, false});
}

// Sections under locks, accesses to variables, values.
toy::Task drawn_task(Random& random) {
  using toy::Operation;
  toy::Task task;
  const std::uint32_t parts = 2 + random.below(2);
  for (std::uint32_t i = 0; i < parts; ++i) {
    const std::uint32_t object = random.below(2);
    const bool writes = random.below(3) != 0;
    const toy::Operation access = {writes ? Operation::write : Operation::read, random.below(3)};
    const std::uint32_t kind = random.below(8);
    if (kind == 0) task.push_back({Operation::choose, 2});
    if (kind < 4) task.push_back({Operation::lock, object});
    task.push_back(access);
    if (kind < 4) task.push_back({Operation::unlock, object});
  }
  return task;
}

// What is planned for later may grow while somebody searches ahead, who has guessed wrong then.
TEST(PieceOrder, WrongGuessesMakeNoDifference) {
  std::uint64_t executions = 0, in_vain = 0, shared = 0;
  for (std::uint64_t seed = 0; shared < drawn_programs; ++seed) {
    Random random(seed);
    Program program(3 + random.below(2));
    for (toy::Task& task : program) task = drawn_task(random);
    const Subject subject{program, {}, 0, 0, 2000};
    const Result expected = alone(subject, "dpor");
    if (expected.executions < 600) continue;
    ++shared;
    executions += expected.executions;
    EXPECT_TRUE(together(subject, "dpor", 2, seed, false, &in_vain) == expected) << seed;
    EXPECT_TRUE(together(subject, "dpor", 5, seed, seed % 2 == 0) == expected) << seed;
    const Subject failing{program, {}, 0, 1000, 0, false};
    EXPECT_TRUE(together(failing, "dpor", 3, seed) == alone(failing, "dpor")) << seed;
    if (shared > 1) continue;
    for (const char* other :
         {"bpor:bound=2", "bpor:bound=1000", "bestfirst", "bestfirst:priority=rand",
          "bestfirst:space=persistent,priority=novel",
          "bestfirst:space=pb=2,priority=pattern+ss"}) {
      const Result all = alone(subject, other);
      EXPECT_TRUE(together(subject, other, 2, seed) == all) << other << seed;
      EXPECT_TRUE(together(subject, other, 5, seed, seed % 2 == 0) == all) << other << seed;
      EXPECT_TRUE(together(failing, other, 3, seed) == alone(failing, other)) << other << seed;
    }
  }
  EXPECT_GT(in_vain, 0U);
  EXPECT_LT(in_vain, executions / 4);
}

// Longer than the turns that are taken one by one.
TEST(PieceOrder, ThePortfolioIsSharedInRounds) {
  const Program program = toy::critical_sections(3, 3);  // 1680 traces
  const Subject subjects[] = {
      {program}, {program, {}, 0, 700, 0, false}, {program, {}, 0, 0, 2345}};
  for (const Subject& subject : subjects) {
    const Result expected = alone(subject, "portfolio");
    if (subject.keep_going) {
      EXPECT_GT(expected.executions, 600U);
    }
    for (const std::size_t workers : {1, 2, 5})
      EXPECT_TRUE(together(subject, "portfolio", workers, workers, workers == 5) == expected);
  }
  EXPECT_TRUE(alone(subjects[0], "portfolio").complete);
}

std::string first_piece(HasPieces& plan) {
  ExecutionPlan* executions = plan.execution_plan();
  return executions != nullptr ? *executions->next_runs(1, false) : *plan.next_piece(0);
}

// A worker may have ended a piece at any execution, because points were learned there.
TEST(PieceOrder, APieceIsTheSameWhateverWasSearchedBefore) {
  const auto search = [](Strategy& strategy, const std::string& piece, const Program& program,
                         std::uint64_t most) {
    strategy.as<HasPieces>()->take(piece);
    const PieceResult result = Searcher({program}, strategy).search(false, most);
    std::vector<std::string> schedules;
    for (const PieceBug& bug : result.bugs) schedules.emplace_back(bug.outcome.message);
    return schedules;
  };
  for (const Program& program : {three_tasks, with_locks}) {
    for (const std::string specification : specifications) {
      const std::string piece = first_piece(*make_strategy(specification, 1)->as<HasPieces>());
      const auto fresh = search(*make_strategy(specification, 1), piece, program, 40);
      for (std::uint64_t before = 1; before < 12; ++before) {
        const auto used = make_strategy(specification, 1);
        search(*used, piece, program, before);
        EXPECT_TRUE(search(*used, piece, program, 40) == fresh) << specification << " " << before;
      }
    }
  }
}

// The more executions wait, the more can be run at a time.
TEST(PieceOrder, ExecutionsThatCountOneByOneAreRunInManyPieces) {
  const Program program = toy::critical_sections(3, 3);  // 1680 traces
  for (const std::string specification :
       {"bestfirst", "bestfirst:priority=rand", "bestfirst:space=pb=3,priority=pb"}) {
    const std::unique_ptr<Control> whole = control_for({program});
    const auto search = make_whole_search(
        *whole, [&] { return make_strategy(specification, 1); }, 64);
    const auto worker = make_strategy(specification, 1);
    std::size_t most_at_a_time = 0;
    while (!search->is_over()) {
      std::vector<PieceTask> tasks;
      while (tasks.size() < 4) {
        const std::optional<PieceTask> task = search->next();
        if (!task) break;
        tasks.push_back(*task);
      }
      ASSERT_FALSE(tasks.empty());
      most_at_a_time = std::max(most_at_a_time, tasks.size());
      for (const PieceTask& task : tasks) {
        worker->as<HasPieces>()->take(task.piece);
        PieceResult result = Searcher({program}, *worker).search_piece(false, task.most);
        EXPECT_LE(result.figures.executions, 256U) << specification;
        result.end = worker->as<HasPieces>()->give();
        search->done(task.number, std::move(result));
      }
    }
    EXPECT_TRUE(whole->complete) << specification;
    EXPECT_EQ(most_at_a_time, 4U) << specification;
  }
}

// --- Circles that are probed for livelocks ---

// What the world would tell of an execution: some are longer than others, and some go in circles.
ProbeFacts circles_of(const PieceResult& run) {
  const std::uint64_t hash = mix64(std::hash<std::string>()(run.bugs.front().outcome.message));
  ProbeFacts facts{20 + hash % 9, false, {}};
  if (hash % 3 == 0) facts.circles = {1 + hash % 11, 20 + hash % 41};
  return facts;
}

using Probes = std::vector<std::pair<std::uint64_t, std::uint64_t>>;  // execution, circle

// As one process does it.
Probes probes_alone(const Subject& subject, const std::string& specification) {
  const auto strategy = make_strategy(specification, 1);
  ProbeBudget budget;
  std::set<std::uint64_t> known;
  std::uint64_t executions = 0, steps = 0;
  Probes probes;
  for (;;) {
    const PieceResult run = Searcher(subject, *strategy).search(false, 1);
    if (run.figures.executions == 0) return probes;
    ++executions;
    steps += run.figures.steps;
    const ProbeFacts facts = circles_of(run);
    if (!budget.is_long(facts.steps) || !budget.may_look(facts.steps, steps)) continue;
    budget.looked_at += facts.steps;
    const auto is_new = [&](std::uint64_t circle) { return known.insert(circle).second; };
    const auto circle = std::find_if(facts.circles.begin(), facts.circles.end(), is_new);
    if (circle == facts.circles.end()) continue;
    ++budget.probes;
    probes.emplace_back(executions, *circle);
  }
}

// A worker that looks at what it takes for long.
PieceResult search_with_circles(const Subject& subject, Strategy& strategy, const PieceTask& task,
                                Probes& probes, std::uint64_t executions) {
  const ProbeTask asked = ProbeTask::from(task.probes);
  ProbeBudget budget{.shortest = asked.shortest};
  PieceResult result;
  for (;;) {
    RunResult run{Searcher(subject, strategy).search(false, 1), {}};
    if (run.result.figures.executions == 0) return result;
    run.circles = circles_of(run.result);
    run.circles.was_looked_at = budget.is_long(run.circles.steps) && !asked.is_over;
    if (!run.circles.was_looked_at) run.circles.circles.clear();
    std::erase_if(run.circles.circles, [&](std::uint64_t circle) {
      return std::count(asked.known.begin(), asked.known.end(), circle) != 0;
    });
    result.runs.push_back(to_bytes(run));
    if (asked.wanted == 0) continue;
    probes.emplace_back(executions, asked.wanted);
    result.runs.push_back(to_bytes(RunResult()));
  }
}

TEST(PieceOrder, ACircleIsProbedWhereOneProcessProbesIt) {
  const Subject subject{toy::critical_sections(3, 3)};
  for (const std::string specification : {"bestfirst", "bestfirst:space=pb=2,priority=rand"}) {
    const Probes expected = probes_alone(subject, specification);
    EXPECT_GT(expected.size(), 10U);
    const std::unique_ptr<Control> whole = control_for(subject);
    RunOrder order(
        *whole, [&] { return make_strategy(specification, 1); }, 64);
    const auto worker = make_strategy(specification, 1);
    Probes probes;
    Random random(1);
    std::vector<PieceTask> tasks;
    while (!order.is_over()) {
      while (const std::optional<PieceTask> task = order.next()) tasks.push_back(*task);
      ASSERT_FALSE(tasks.empty());
      const std::size_t chosen = random.below(static_cast<std::uint32_t>(tasks.size()));
      const PieceTask task = tasks[chosen];
      tasks.erase(tasks.begin() + static_cast<std::ptrdiff_t>(chosen));
      worker->as<HasPieces>()->take(task.piece);
      PieceResult result = search_with_circles(subject, *worker, task, probes, whole->executions);
      result.end = worker->as<HasPieces>()->give();
      order.done(task.number, std::move(result));
    }
    EXPECT_EQ(probes, expected) << specification;
  }
}

// Of a piece with all that follows from it.
std::uint64_t executions_in(const Subject& subject, Strategy& strategy, const std::string& piece) {
  auto& pieces = *strategy.as<HasPieces>();
  pieces.take(piece);
  std::uint64_t sum = Searcher(subject, strategy).search(false, 0).figures.executions;
  for (const std::string& rest : pieces.give().rest) sum += executions_in(subject, strategy, rest);
  return sum;
}

TEST(PieceOrder, WhatIsSetAsideIsLeftOutAndTheSearchNotComplete) {
  const Subject subject{toy::independent({4, 3, 3})};  // 4200 executions
  int times = 0;
  for (const std::string specification : {"dfs", "dpor", "pb:bound=3"}) {
    const std::uint64_t all = alone(subject, specification).executions;
    for (const std::uint64_t aside : {1, 2, 5}) {
      const std::unique_ptr<Control> whole = control_for(subject);
      PieceOrder order(
          *whole, [&] { return make_strategy(specification, 1); }, 8);
      const auto worker = make_strategy(specification, 1);
      std::uint64_t left_out = 0;
      bool is_set_aside = false;
      while (!order.is_over()) {
        const std::optional<PieceTask> task = order.next();
        if (!task) break;
        if (task->number == aside) {
          if (specification == "dfs") left_out = executions_in(subject, *worker, task->piece);
          order.set_aside(task->number);
          is_set_aside = true;
          continue;
        }
        worker->as<HasPieces>()->take(task->piece);
        PieceResult result = Searcher(subject, *worker).search(false, task->most);
        result.end = worker->as<HasPieces>()->give();
        order.done(task->number, std::move(result));
      }
      order.stop();
      if (!is_set_aside) continue;  // a small search has fewer pieces
      ++times;
      if (specification == "dfs") {
        EXPECT_EQ(whole->executions + left_out, all) << aside;
      }
      EXPECT_LT(whole->executions, all) << specification << " " << aside;
      EXPECT_EQ(whole->status, Status::stopped);
      EXPECT_FALSE(whole->complete) << specification << " " << aside;
    }
  }
  EXPECT_GE(times, 6);
}

TEST(PieceOrder, TurnsThatDoNotMoveAreSharedInRounds) {
  const Program program = toy::independent({5, 5, 4});
  const Subject subjects[] = {{program, {}, 0, 0, 3000},
                              {program, {}, 0, 5000, 0, false},
                              {program, toy::independent({5, 5, 5}), 300, 0, 1500},
                              {three_tasks}};
  for (const Subject& subject : subjects) {
    const Result expected = alone(subject, "mixed");
    EXPECT_GT(expected.executions, 300U);
    for (const std::size_t workers : {1, 2, 5})
      EXPECT_TRUE(together(subject, "mixed", workers, workers, workers == 5) == expected);
  }
  EXPECT_TRUE(alone(subjects[3], "mixed").complete);
}

// In how many pieces it was, and that a piece has an end, is what makes it worth to share.
TEST(PieceOrder, ALargeSearchHasManyPieces) {
  const std::unique_ptr<Control> whole = private_control();
  const Program program = toy::critical_sections(4, 3);
  for (const std::string specification : specifications) {
    const auto planner = make_strategy(specification, 1);
    if (planner->as<HasPieces>()->execution_plan() != nullptr) continue;
    auto worker = make_strategy(specification, 1);
    std::vector<std::string> pieces;
    std::size_t searched = 0;
    while (searched < 8) {
      if (pieces.empty()) {
        std::optional<std::string> next = planner->as<HasPieces>()->next_piece(0);
        ASSERT_TRUE(next) << specification << " after " << searched;
        pieces.push_back(*next);
      }
      worker->as<HasPieces>()->take(pieces.front());
      pieces.erase(pieces.begin());
      const PieceResult result = Searcher({program}, *worker).search(false, 0);
      EXPECT_LE(result.figures.executions, 1100U) << specification;
      PieceEnd end = worker->as<HasPieces>()->give();
      planner->as<HasPieces>()->merge(end.shown);
      pieces.insert(pieces.begin(), end.rest.begin(), end.rest.end());
      ++searched;
    }
  }
}

}  // namespace
}  // namespace ricercar::inline search
