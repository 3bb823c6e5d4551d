// Executions with more accesses than a recording holds are explained as well as short ones, whether
// their schedule says how long they were or not.
#include "model/schedule.h"
#include "support/tool.h"

namespace ricercar::test {
namespace {

constexpr int bug = 1;
constexpr std::uint64_t walks = 4;
constexpr std::uint64_t rounds_of_a_walk = 400000;

class LongExecutions : public ToolTest {
 protected:
  static Finished find(const std::string& end) {
    return tool(
        {"run", "--no-minimise", "--out", "out-" + end, program("reports/long_execution.cc"), end});
  }
  static std::string schedule_file(const std::string& end) {
    return in_folder("out-" + end + "/bug-1.json");
  }
  // What an earlier version would have written.
  static std::string without_length(const std::string& end) {
    Schedule schedule = read_schedule(schedule_file(end));
    schedule.plain_accesses = 0;
    write_schedule(in_folder(end + ".json"), schedule);
    return end + ".json";
  }
  // The report without the line that names the file.
  static std::string report(const std::string& file) {
    const Finished replayed = tool({"replay", file});
    EXPECT_EQ(replayed.status, bug) << last();
    std::string text = replayed.output;
    for (std::size_t at = 0; (at = text.find(file)) != std::string::npos;) {
      text.erase(at, file.size());
    }
    return text;
  }
};

TEST_F(LongExecutions, SayHowLongTheyAre) {
  find("assert");
  const std::uint64_t counted = read_schedule(schedule_file("assert")).plain_accesses;
  // A write in each round, three reads, and a little around them.
  EXPECT_GE(counted, walks * rounds_of_a_walk);
  EXPECT_LE(counted, 5 * walks * rounds_of_a_walk);
}

TEST_F(LongExecutions, ShowTheStackOfAnAccessLongAgo) {
  const Finished found = find("race");
  expect(found, bug, {"data race on `victim`", "write_early", "work"});
  EXPECT_EQ(report(without_length("race")), report(schedule_file("race")));
}

TEST_F(LongExecutions, ShowTheStackOfTheFirstAccess) {
  for (const std::string end : {"first", "frees"}) {
    const Finished found = find(end);
    expect(found, bug, {"data race on `victim`", "write_early", "work"});
    EXPECT_EQ(report(without_length(end)), report(schedule_file(end)));
  }
}

// They are no points and no plain accesses.
TEST_F(LongExecutions, AtomicsDoNotPushOutWhatIsRecorded) {
  const std::string path = program("reports/many_atomics.cc");
  const Finished found = tool({"run", "--points", "sync", "--out", "out-atomics", path});
  expect(found, bug, {"reads total = 0", "writes 8"});
  EXPECT_LT(read_schedule(schedule_file("atomics")).plain_accesses, 1000U);
}

TEST_F(LongExecutions, ShowAFailureAtTheEnd) {
  expect(find("assert"), bug, {"is_race(end)"});
  EXPECT_EQ(report(without_length("assert")), report(schedule_file("assert")));
}

TEST_F(LongExecutions, ShowTheEndOfAKilledProcess) {
  expect(find("kill"), bug, {"SIGKILL"});
  EXPECT_EQ(report(without_length("kill")), report(schedule_file("kill")));
}

TEST_F(LongExecutions, ReplayOften) {
  find("race");
  expect(tool({"replay", "-n", "3", "out-race/bug-1.json"}), bug, {"3 of 3 replays"});
}

}  // namespace
}  // namespace ricercar::test
