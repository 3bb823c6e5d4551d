// What the steps of hand-made recordings owe to each other, and what has which value when.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/html.h"
#include "report/report_examples.h"
#include "report/reporters.h"

namespace ricercar::inline report {
namespace {

using enum OperationKind;
using examples::schedule_for;

constexpr int in_no_order = 0;
constexpr int acquiring = 2;
constexpr int releasing = 3;
constexpr int both = 4;

Report detailed(const Recording& recording, Symbols& symbols) {
  const Schedule schedule = schedule_for(recording);
  ReportInput input;
  input.recording = &recording;
  input.schedule = &schedule;
  input.detailed = true;
  return build_report(input, symbols);
}

Report detailed(RecordingBuilder& builder) { return detailed(builder.build(), builder.symbols); }

// "creates 0-2", in the order in which they were found.
std::vector<std::string> links_of(const Report& report) {
  std::vector<std::string> result;
  for (const ReportLink& link : report.detail->links) {
    result.push_back(std::string(link_kinds[static_cast<std::size_t>(link.kind)].name) + " " +
                     std::to_string(link.from) + "-" + std::to_string(link.to));
  }
  return result;
}

// What an entry is after a step.
std::string value_at(const Report& report, const std::string& kind, const std::string& name,
                     std::size_t step) {
  std::string value = "none";
  for (const ReportChange& change : report.detail->changes) {
    const ReportEntry& entry = report.detail->entries[change.entry];
    if (entry.kind == kind && entry.name == name && change.step <= step) value = change.value;
  }
  return value;
}

using Links = std::vector<std::string>;

// Two tasks that the first line of main has created, and a place for everything that they do.
struct TwoTasks {
  RecordingBuilder builder;
  std::uint64_t here = builder.line("work", 7, "work();");

  TwoTasks() {
    builder.task(0);
    builder.task(0, here);
    builder.event(0, create, 0, 1, {here});  // row 0
  }
  Step& event(std::uint32_t task, OperationKind kind, std::uint64_t object, std::uint64_t value = 0,
              int order = RecordedEvent::no_order) {
    Step& step = builder.event(task, kind, object, value, {here});
    builder.set_order(order);
    return step;
  }
  Report report() {
    builder.outcome(OutcomeKind::assertion, 0, "assertion", {here});
    return detailed(builder);
  }
};

TEST(Detail, AThreadBeginsBecauseOfItsCreatorAndEndsBeforeItIsJoined) {
  TwoTasks tasks;
  tasks.event(1, start, 0);
  tasks.event(1, OperationKind::end, 0);
  tasks.event(0, join, 1);
  EXPECT_EQ(links_of(tasks.report()), (Links{"creates 0-1", "joins 2-3"}));
}

TEST(Detail, ALockIsHandedOverAndIsHeldInBetween) {
  TwoTasks tasks;
  const std::uint64_t mutex = tasks.builder.global("mutex");
  tasks.event(0, lock, mutex);    // 1
  tasks.event(0, unlock, mutex);  // 2
  tasks.event(1, start, 0);       // 3
  tasks.event(1, lock, mutex);    // 4
  const Report report = tasks.report();
  EXPECT_EQ(links_of(report), (Links{"creates 0-3", "hands_over 2-4"}));
  ASSERT_EQ(report.detail->holdings.size(), 2u);
  EXPECT_EQ(report.detail->holdings[0].object, "mutex");
  EXPECT_EQ(report.detail->holdings[0].from, 1u);
  EXPECT_EQ(report.detail->holdings[0].to, 2u);
  EXPECT_EQ(report.detail->holdings[1].lane, task_id(1));
  EXPECT_EQ(report.detail->holdings[1].to, report.all_steps.size()) << "it is held at the end";
  EXPECT_EQ(value_at(report, "lock", "mutex", 0), "none");
  EXPECT_EQ(value_at(report, "lock", "mutex", 1), "T0");
  EXPECT_EQ(value_at(report, "lock", "mutex", 2), "free");
  EXPECT_EQ(value_at(report, "lock", "mutex", 4), "T1");
}

TEST(Detail, ALockThatWasNotTakenIsNotHeld) {
  TwoTasks tasks;
  const std::uint64_t mutex = tasks.builder.global("mutex");
  tasks.event(0, lock, mutex);
  tasks.event(1, try_lock, mutex).flags = step_failed;
  const Report report = tasks.report();
  EXPECT_EQ(report.detail->holdings.size(), 1u);
  EXPECT_EQ(value_at(report, "lock", "mutex", 2), "T0");
}

TEST(Detail, ARecursiveLockIsHeldUntilItIsGivenBackAsOftenAsTaken) {
  TwoTasks tasks;
  const std::uint64_t mutex = tasks.builder.global("mutex");
  tasks.event(0, lock, mutex);
  tasks.event(0, lock, mutex);
  tasks.event(0, unlock, mutex);
  tasks.event(0, unlock, mutex);
  const Report report = tasks.report();
  EXPECT_EQ(value_at(report, "lock", "mutex", 2), "T0 (2 times)");
  EXPECT_EQ(value_at(report, "lock", "mutex", 3), "T0");
  EXPECT_EQ(value_at(report, "lock", "mutex", 4), "free");
  ASSERT_EQ(report.detail->holdings.size(), 1u);
  EXPECT_EQ(report.detail->holdings[0].to, 4u);
}

TEST(Detail, AWriterFollowsAllReadersAndReadersFollowTheWriter) {
  TwoTasks tasks;
  const std::uint64_t guard = tasks.builder.global("guard");
  tasks.event(0, read_lock, guard);     // 1
  tasks.event(0, read_unlock, guard);   // 2
  tasks.event(1, write_lock, guard);    // 3
  tasks.event(1, write_unlock, guard);  // 4
  tasks.event(0, read_lock, guard);     // 5
  const Report report = tasks.report();
  EXPECT_EQ(links_of(report), (Links{"creates 0-3", "hands_over 2-3", "hands_over 4-5"}));
  EXPECT_EQ(value_at(report, "lock", "guard", 5), "read by T0");
  EXPECT_TRUE(report.detail->holdings[2].is_shared);
}

TEST(Detail, AWaitGivesItsLockBackAndASignalWakesIt) {
  TwoTasks tasks;
  const std::uint64_t mutex = tasks.builder.global("mutex");
  const std::uint64_t condition = tasks.builder.global("condition");
  tasks.event(1, lock, mutex);             // 1
  tasks.event(1, wait, condition, mutex);  // 2
  tasks.event(0, lock, mutex);             // 3
  tasks.event(0, signal, condition, 1);    // 4
  tasks.event(0, unlock, mutex);           // 5
  tasks.event(1, relock, mutex);           // 6
  const Report report = tasks.report();
  EXPECT_EQ(links_of(report),
            (Links{"creates 0-1", "hands_over 2-3", "wakes 4-6", "hands_over 5-6"}));
  EXPECT_EQ(value_at(report, "wait", "condition", 2), "T1");
  EXPECT_EQ(value_at(report, "wait", "condition", 6), "");
  EXPECT_EQ(value_at(report, "lock", "mutex", 2), "free");
}

TEST(Detail, ASignalThatReachesNobodyWakesNobody) {
  TwoTasks tasks;
  const std::uint64_t condition = tasks.builder.global("condition");
  tasks.event(0, signal, condition).flags = step_failed;
  tasks.event(0, broadcast, condition, 0);
  tasks.event(1, start, 0);
  EXPECT_EQ(links_of(tasks.report()), (Links{"creates 0-3"}));
}

TEST(Detail, AWaitThatTimesOutWasWokenByNobody) {
  TwoTasks tasks;
  const std::uint64_t condition = tasks.builder.global("condition");
  tasks.event(1, timed_wait, condition);                 // 1
  tasks.event(1, wake, condition).flags = step_timeout;  // 2
  tasks.event(0, broadcast, condition, 0);               // 3
  EXPECT_EQ(links_of(tasks.report()), (Links{"creates 0-1"}));
}

TEST(Detail, AnAcquireComesAfterTheReleaseThatItReads) {
  TwoTasks tasks;
  const std::uint64_t flag = tasks.builder.global("flag", ValueKind::signed_integer, 4);
  tasks.event(0, atomic_store, flag, 1, releasing);  // 1
  tasks.event(1, atomic_load, flag, 1, acquiring);   // 2
  const Report report = tasks.report();
  EXPECT_EQ(links_of(report), (Links{"creates 0-2", "synchronises 1-2"}));
  EXPECT_EQ(value_at(report, "variable", "flag", 2), "1");
}

TEST(Detail, ARelaxedReadPutsNothingInOrder) {
  TwoTasks tasks;
  const std::uint64_t flag = tasks.builder.global("flag", ValueKind::signed_integer, 4);
  tasks.event(1, start, 0);                           // 1
  tasks.event(0, atomic_store, flag, 1, releasing);   // 2
  tasks.event(1, atomic_load, flag, 1, in_no_order);  // 3
  EXPECT_EQ(links_of(tasks.report()), (Links{"creates 0-1", "reads 2-3"}));
  EXPECT_FALSE(link_kinds[static_cast<std::size_t>(LinkKind::reads)].orders);
}

TEST(Detail, FencesOrderRelaxedAtomics) {
  TwoTasks tasks;
  const std::uint64_t flag = tasks.builder.global("flag", ValueKind::signed_integer, 4);
  tasks.event(1, start, 0);                            // 1
  tasks.event(0, fence, 0);                            // 2
  tasks.event(0, atomic_store, flag, 1, in_no_order);  // 3
  tasks.event(1, atomic_load, flag, 1, in_no_order);   // 4
  tasks.event(1, fence, 0);                            // 5
  EXPECT_EQ(links_of(tasks.report()), (Links{"creates 0-1", "reads 3-4", "synchronises 2-5"}));
}

TEST(Detail, AnUpdateGoesOnWithTheReleaseSequence) {
  TwoTasks tasks;
  const std::uint64_t flag = tasks.builder.global("flag", ValueKind::signed_integer, 4);
  tasks.builder.task(0, tasks.here);
  tasks.event(0, create, 0, 2);                         // 1
  tasks.event(0, atomic_store, flag, 1, releasing);     // 2
  tasks.event(1, atomic_update, flag, 2, in_no_order);  // 3
  tasks.event(2, atomic_load, flag, 2, acquiring);      // 4
  EXPECT_EQ(links_of(tasks.report()),
            (Links{"creates 0-3", "creates 1-4", "reads 2-3", "synchronises 2-4", "reads 3-4"}));
}

TEST(Detail, ACounterThatAllUpdateHasOneLinkForEachUpdate) {
  TwoTasks tasks;
  const std::uint64_t counter = tasks.builder.global("counter", ValueKind::signed_integer, 4);
  constexpr std::size_t updates = 100;
  for (std::size_t i = 0; i < updates; ++i) {
    tasks.event(i % 2, atomic_update, counter, i, both);
  }
  EXPECT_EQ(tasks.report().detail->links.size(), updates);
}

TEST(Detail, ARaceIsBetweenItsTwoAccesses) {
  RecordingBuilder builder = examples::race_with_a_lock();
  const Report report = detailed(builder);
  const ReportLink& race = report.detail->links.back();
  EXPECT_EQ(race.kind, LinkKind::races);
  EXPECT_EQ(report.all_steps[race.from].what, "reads counter = 5");
  EXPECT_EQ(report.all_steps[race.from].lane, task_id(1));
  EXPECT_TRUE(report.all_steps[race.to].is_outcome);
}

TEST(Detail, ADeadlockSaysWhoWaitsForWhichLock) {
  RecordingBuilder builder = examples::deadlock();
  const Report report = detailed(builder);
  const std::size_t end = report.all_steps.size() - 1;
  EXPECT_EQ(value_at(report, "lock", "accounts[0].lock", end), "T1");
  EXPECT_EQ(value_at(report, "wait", "accounts[0].lock", end), "T2");
  EXPECT_EQ(value_at(report, "wait", "accounts[1].lock", end), "T1");
}

TEST(Detail, MessagesLinkMachinesAndFillQueues) {
  examples::MachineRecording machines;
  FakeSymbols none;
  const Report report = detailed(machines.build(), none);
  EXPECT_EQ(links_of(report), (Links{"message 3-6", "message 2-8", "message 9-10", "creates 12-13",
                                     "message 14-15"}));
  EXPECT_EQ(value_at(report, "queue", "Server#0", 5), "Ask{1}  Ask{2}  Ask{1}");
  EXPECT_EQ(value_at(report, "queue", "Server#0", 6), "Ask{1}  Ask{1}");
  EXPECT_EQ(value_at(report, "queue", "Server#0", 11), "") << "a crash empties it";
  EXPECT_EQ(value_at(report, "state", "Server#0", 11), "crashed");
  EXPECT_EQ(value_at(report, "state", "Server#0", 13), "Serving");
}

TEST(Detail, TellsWhatEachMachineIsAtEachStep) {
  examples::MachineRecording machines;
  FakeSymbols none;
  const Report report = detailed(machines.build(), none);
  EXPECT_EQ(value_at(report, "variable", "Server#0", 0), "{0}");
  EXPECT_EQ(value_at(report, "variable", "Server#0", 6), "{0}") << "the handler has to choose";
  EXPECT_EQ(value_at(report, "variable", "Server#0", 7), "{2}");
  EXPECT_EQ(value_at(report, "variable", "Client#1", 15), "{\"a\"}");
  EXPECT_EQ(value_at(report, "state", "Server#0", 11), "crashed") << "in no state of its own";
  EXPECT_EQ(value_at(report, "variable", "Server#0", 11), "{0}") << "what survives";
  EXPECT_EQ(value_at(report, "state", "Server#0", 15), "Waiting") << "where the handler went to";
}

TEST(Detail, CutsLongVariables) {
  examples::MachineRecording machines;
  const std::string text(1000, 'x');
  machines.conditions = {{1, 0, "Serving", text.c_str()}};
  FakeSymbols none;
  const Report report = detailed(machines.build(), none);
  EXPECT_EQ(value_at(report, "variable", "Server#0", 0), text.substr(0, 300) + "...");
}

TEST(Detail, OfNodesHasThePlacesOfCallsAndOfTheFailure) {
  examples::MachineRecording machines;
  machines.acts = {
      {.kind = ActKind::call, .machine = 0, .event = "calls send() at net.h:59"},
      {.kind = ActKind::fail, .machine = 0, .event = "fails: assertion `x' in main() (a.cc:11)"},
      {.kind = ActKind::fail, .machine = 0, .event = "fails: all nodes wait (or not)"}};
  FakeSymbols none;
  const Report report = detailed(machines.build(), none);
  ASSERT_EQ(report.all_steps.size(), 3);
  EXPECT_EQ(report.all_steps[0].place.file_and_line(), "net.h:59");
  EXPECT_EQ(report.all_steps[0].what, "calls send()");
  EXPECT_EQ(report.all_steps[1].place.file_and_line(), "a.cc:11");
  EXPECT_EQ(report.all_steps[1].what, "fails: assertion `x' in main() (a.cc:11)");
  EXPECT_FALSE(report.all_steps[2].place.is_known());
}

TEST(Detail, IsNotThereUnlessAskedFor) {
  RecordingBuilder builder = examples::deadlock();
  const Report report = examples::report_of(builder);
  EXPECT_FALSE(report.detail);
  EXPECT_TRUE(report.all_steps.empty());
}

// --- The page ---

nlohmann::json data_in(const std::string& page) {
  const std::string begin = R"(<script type="application/json" id="data">)";
  const std::size_t start = page.find(begin) + begin.size();
  return nlohmann::json::parse(page.substr(start, page.find("</script>", start) - start));
}

TEST(Page, HasEveryStepAndSaysWhichOnesAreInTheShortReport) {
  RecordingBuilder builder = examples::deadlock();
  const Report report = detailed(builder);
  const nlohmann::json run = data_in(html_report(report, {}))["runs"][0];
  EXPECT_EQ(run["rows"].size(), report.all_steps.size());
  ASSERT_EQ(run["short"].size(), report.steps.size());
  for (std::size_t i = 0; i < report.steps.size(); ++i) {
    const std::size_t row = run["short"][i][0];
    const int own_words = run["short"][i][1];
    const std::string words = run["texts"][own_words < 0 ? int(run["rows"][row][3]) : own_words];
    EXPECT_EQ(words, report.steps[i].what);
    EXPECT_EQ(run["short"][i][2].size(), std::max<std::size_t>(1, report.steps[i].parts.size()));
    EXPECT_EQ(report.all_steps[row].lane, report.steps[i].lane);
  }
}

TEST(Page, KeepsWhatTheProgramSaysOutOfItsMarkup) {
  const std::string nasty = "</script><script>alert(1)</script><!-- \"'& \xff";
  RecordingBuilder builder = examples::deadlock();
  Report report = detailed(builder);
  const std::size_t scripts = std::string(html_report(report, {})).find("</html>");
  report.headline = report.output = report.lanes[0].title = report.all_steps[0].value = nasty;
  report.sources.push_back({nasty, {{1, {nasty}}}, false});
  const std::string page = html_report(report, {});
  EXPECT_EQ(page.find("alert(1)</script>"), std::string::npos);
  EXPECT_NE(page.find("</html>"), scripts);
  const std::string shown = data_in(page)["headline"];
  EXPECT_EQ(shown.substr(0, nasty.size() - 1), nasty.substr(0, nasty.size() - 1));
}

TEST(Page, AllowsItsOwnScriptAndConnectsToNothing) {
  RecordingBuilder builder = examples::deadlock();
  const std::string page = html_report(detailed(builder), {});
  EXPECT_NE(page.find("default-src 'none'; script-src 'sha256-"), std::string::npos);
  EXPECT_NE(page.find("connect-src 'none'"), std::string::npos);
  EXPECT_EQ(page.find("@"), page.find("@media")) << "every mark was replaced";
}

TEST(Page, SaysUpToWhereTheExecutionThatPassesIsTheSame) {
  RecordingBuilder failing = examples::deadlock();
  RecordingBuilder passing = examples::deadlock();
  passing.event(2, unlock, 1, 0, {});
  Report report = detailed(failing);
  report.passing = std::make_shared<Report>(detailed(passing));
  const nlohmann::json data = data_in(html_report(report, {}));
  ASSERT_EQ(data["runs"].size(), 2u);
  EXPECT_EQ(data["runs"][0]["parts"], 6) << "up to where each of them has other steps";
  EXPECT_EQ(data["runs"][1]["parts"], 6);
  EXPECT_EQ(data["runs"][1]["role"], "passing");
  EXPECT_EQ(data["avoidable"], false) << "nobody has looked";
}

TEST(Page, ExecutionsPartAtTheLastChanceWhateverElseIsShown) {
  RecordingBuilder failing = examples::deadlock();
  Report report = detailed(failing);
  report.last_chance.emplace().passes = true;
  report.last_chance->number = report.all_steps[3].number;
  Report passing = detailed(failing);
  passing.all_steps.erase(passing.all_steps.begin());
  report.passing = std::make_shared<Report>(passing);
  const nlohmann::json data = data_in(html_report(report, {}));
  ASSERT_NE(report.last_chance->number, 0u);
  EXPECT_EQ(data["runs"][0]["parts"], 3);
  EXPECT_EQ(data["runs"][1]["parts"], 2);
  EXPECT_EQ(data["avoidable"], true);
}

TEST(Page, HasTheExecutionThatWasFound) {
  RecordingBuilder builder = examples::deadlock();
  Report report = detailed(builder);
  report.original = std::make_shared<Report>(detailed(builder));
  const nlohmann::json data = data_in(html_report(report, {}));
  ASSERT_EQ(data["runs"].size(), 2u);
  EXPECT_EQ(data["runs"][0]["parts"], -1);
  EXPECT_EQ(data["runs"][1]["role"], "original");
}

TEST(Page, LeavesOutOtherExecutionsThatAreTooLong) {
  RecordingBuilder builder = examples::deadlock();
  Report report = detailed(builder);
  Report original = report;
  original.all_steps.resize(25000, original.all_steps.front());
  report.original = std::make_shared<Report>(original);
  EXPECT_EQ(data_in(html_report(report, {}))["runs"].size(), 1u);
}

TEST(Page, WorksWithoutDetail) {
  RecordingBuilder builder = examples::deadlock();
  const Report report = examples::report_of(builder);
  EXPECT_EQ(data_in(html_report(report, {}))["runs"][0]["rows"].size(), report.steps.size());
}

}  // namespace
}  // namespace ricercar::inline report
