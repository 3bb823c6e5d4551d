// The JSON of a report: what a program finds where.
#include "report/json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "report/report_examples.h"
#include "report/reporters.h"

namespace ricercar::inline report {
namespace {

using examples::report_of;
using Json = nlohmann::ordered_json;
using enum OperationKind;

TEST(JsonReport, OfARaceHasBothPlaces) {
  RecordingBuilder builder = examples::race_with_a_lock();
  const Json json = json_of(report_of(builder));
  EXPECT_EQ(json["schema"], "ricercar.bug/1");
  EXPECT_EQ(json["kind"], "data-race");
  EXPECT_EQ(json["world"], "threads");
  EXPECT_EQ(json["schedule"], "ricercar-out/bug-1.json");
  ASSERT_EQ(json["places"].size(), 2);
  const Json& later = json["places"][0];
  EXPECT_EQ(later["role"], "writes");
  EXPECT_EQ(later["thread"], 2);
  EXPECT_EQ(later["function"], "increment");
  EXPECT_EQ(later["file"], "test.cc");
  EXPECT_EQ(later["line"], 12);
  EXPECT_EQ(later["source"], "counter = counter + 1;");
  EXPECT_EQ(
      later["holds"],
      Json::parse(R"([{"object":"mutex","function":"increment","file":"test.cc","line":11}])"));
  ASSERT_EQ(later["stack"].size(), 2);
  EXPECT_EQ(later["stack"][0]["line"], 12);
  EXPECT_EQ(later["stack"][1]["library"], true);
  EXPECT_EQ(json["places"][1]["line"], 8);
  EXPECT_EQ(json["places"][1]["holds"][0]["object"], "other");
}

TEST(JsonReport, OfThreadsSaysWhereTheyWereCreated) {
  RecordingBuilder builder = examples::race_with_a_lock();
  const Json threads = json_of(report_of(builder))["threads"];
  EXPECT_EQ(threads[0], Json::parse(R"({"id":0,"name":"T0","title":"main"})"));
  EXPECT_EQ(threads[2], Json::parse(R"({"id":2,"name":"T2","title":"increment","created_by":0,
                                        "function":"main","file":"test.cc","line":21})"));
}

TEST(JsonReport, LeavesOutLocksThatNobodyKnows) {
  RecordingBuilder builder = examples::race_with_a_lock();
  Recording recording = builder.build();
  recording.truncated = true;
  const Json json = json_of(report_of(recording, builder.symbols));
  EXPECT_TRUE(json["places"][0].contains("holds"));
  EXPECT_FALSE(json["places"][1].contains("holds"));
}

TEST(JsonReport, OfAStepHasItsParts) {
  RecordingBuilder builder = examples::race_with_a_lock();
  const Json steps = json_of(report_of(builder, true))["steps"];
  EXPECT_EQ(steps[6], Json::parse(R"({"thread":1,"operation":"read","object":"counter","value":"5",
                                      "what":"reads counter = 5","function":"look",
                                      "file":"test.cc","line":8,"source":"return counter;"})"));
  EXPECT_EQ(steps[8], Json::parse(R"({"step":8,"thread":2,"operation":"start","what":"starts",
                                      "preempts":true})"));
  EXPECT_EQ(steps[9]["step"], 9);
  EXPECT_EQ(steps[9]["object"], "mutex");
  EXPECT_EQ(steps[11]["fails"], true);
}

TEST(JsonReport, OfADeadlockHasHoldersAndWaiters) {
  RecordingBuilder builder = examples::deadlock();
  const Json json = json_of(report_of(builder));
  ASSERT_EQ(json["waits"].size(), 3);
  EXPECT_EQ(json["waits"][0],
            Json::parse(R"({"thread":1,"operation":"lock","object":"accounts[1].lock",
                            "what":"waits for accounts[1].lock","function":"transfer",
                            "file":"test.cc","line":11,"for":[2],
                            "holds":[{"object":"accounts[0].lock","function":"transfer",
                                      "file":"test.cc","line":10}]})"));
  EXPECT_EQ(json["waits"][2]["operation"], "join");
  EXPECT_EQ(json["waits"][2]["for"], Json::parse("[1]"));
}

TEST(JsonReport, OfAUseAfterFreeSaysWhoAllocatedAndWhoFreed) {
  RecordingBuilder builder;
  const std::uint64_t make = builder.line("main", 39, "head = new Node;");
  const std::uint64_t look = builder.line("main", 41, "return head->value;");
  const std::uint64_t drop = builder.line("remove", 12, "delete head;", "list.cc");
  builder.task(0);
  builder.task(0, make);
  RecordedAllocation& block = builder.allocation(0x700000, 16, 0, make);
  block.freed_by = task_id(1);
  block.freed_stack = builder.stack({drop});
  builder.outcome(OutcomeKind::use_after_free, 0, "reads 4 bytes in a freed block", {look}).object =
      0x700000;
  const Json json = json_of(report_of(builder));
  EXPECT_EQ(json["places"][0]["line"], 41);
  EXPECT_EQ(json["places"][1]["role"], "frees");
  EXPECT_EQ(json["places"][1]["file"], "list.cc");
  EXPECT_EQ(json["allocated"]["thread"], 0);
  EXPECT_EQ(json["allocated"]["stack"][0]["line"], 39);
  EXPECT_EQ(json["blocks"][0]["size"], 16);
}

TEST(JsonReport, CountsWhatIsLeftOut) {
  RecordingBuilder builder;
  const std::uint64_t counter = builder.global("counter", ValueKind::signed_integer, 4);
  const std::uint64_t place = builder.line("main", 22, "++counter;");
  const std::uint64_t last = builder.line("main", 23, "assert(false);");
  builder.task(0);
  builder.task(0, place);
  for (std::uint32_t i = 0; i < 300; ++i) builder.event(i % 2, atomic_update, counter, i, {place});
  builder.outcome(OutcomeKind::assertion, 0, "assertion `false' failed", {last});
  const Json json = json_of(report_of(builder));
  EXPECT_EQ(json["step_count"], 300);
  EXPECT_EQ(json["steps"][10], Json::parse(R"({"left_out":230})"));
}

TEST(JsonReport, OfMachinesHasStatesAndMessages) {
  examples::MachineRecording machines;
  const Json json = json_of(report_of(machines));
  EXPECT_EQ(json["world"], "machines");
  EXPECT_EQ(json["machines"][0],
            Json::parse(R"({"id":0,"name":"Server#0","state":"Serving","variables":"{1}",
                            "queue":"Ask{3} Ask{4}"})"));
  EXPECT_EQ(json["machines"][1]["phase"], "halted");
  EXPECT_EQ(json["machines"][2]["kind"], "timer");
  EXPECT_EQ(json["steps"][2],
            Json::parse(R"({"step":3,"machine":1,"operation":"send","object":"Ask{1}","to":0,
                            "what":"sends Ask{1} to Server#0"})"));
  EXPECT_EQ(json["steps"][8],
            Json::parse(R"({"step":9,"machine":0,"operation":"handle","object":"Ask{1}",
                            "state":"Serving","sent_at":3,"what":"handles Ask{1} in Serving"})"));
}

TEST(JsonReport, WithoutARecordingSaysWhatTheSearchSaw) {
  Schedule schedule;
  schedule.kind = "hang";
  schedule.message = "it does not come back";
  ReportInput input;
  input.schedule = &schedule;
  input.warning = "the replay was interrupted";
  const Json json = json_of(report_without_recording(input));
  EXPECT_EQ(json["message"], "hang: it does not come back");
  EXPECT_EQ(json["warning"], "the replay was interrupted");
  EXPECT_EQ(json["came_again"], false);
  EXPECT_TRUE(json["steps"].empty());
}

TEST(JsonReport, IsReadBackAsItWas) {
  RecordingBuilder builder = examples::deadlock();
  const Report report = report_of(builder);
  EXPECT_EQ(Json::parse(json_report(report, {})), json_of(report));
}

TEST(JsonText, HasSimpleThingsOfDetailsAndNumbersInOneLine) {
  const Json json = Json::parse(
      R"({"a":[1,2],"b":{"c":1},"d":["x"],"e":[],"details":{"steps":[{"step":1,"to":2}],"f":[]}})");
  EXPECT_EQ(json_text(json), R"({
  "a": [1,2],
  "b": {
    "c": 1
  },
  "d": [
    "x"
  ],
  "e": [],
  "details": {
    "steps": [
      {"step":1,"to":2}
    ],
    "f": []
  }
}
)");
}

TEST(JsonText, ReplacesWhatIsNoText) {
  EXPECT_EQ(json_text(Json{{"output", "\xff!"}}), "{\n  \"output\": \"\xEF\xBF\xBD!\"\n}\n");
}

TEST(Reporters, HaveNamesThatAreAllDifferent) {
  for (const Reporter& reporter : reporters()) {
    EXPECT_EQ(reporter_by_name(reporter.name).write, reporter.write) << reporter.name;
    EXPECT_EQ(reporter.extension.substr(0, 1), ".") << reporter.name;
  }
}

TEST(Reporters, ThatDoNotExistAreToldWithThoseThatDo) {
  try {
    reporter_by_name("html5");
    FAIL();
  } catch (const UsageError& error) {
    const std::string message = error.what();
    EXPECT_TRUE(message.starts_with("there is no format 'html5'; there are text")) << message;
  }
}

}  // namespace
}  // namespace ricercar::inline report
