#include "model/schedule.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/error.h"
#include "base/random.h"

namespace ricercar::inline model {
namespace {

class ScheduleFile : public testing::Test {
 protected:
  ScheduleFile() { std::filesystem::create_directories(folder_); }
  ~ScheduleFile() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name = "bug-1.json") const { return folder_ / name; }
  std::string content() const {
    std::ifstream file(path());
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }
  void put(const std::string& text) const { std::ofstream(path()) << text; }
  std::string error_of_reading(const std::string& name = "bug-1.json") const {
    try {
      read_schedule(path(name));
      return {};
    } catch (const UsageError& error) {
      return error.what();
    }
  }

 private:
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("ricercar-schedule-" + std::to_string(getpid()));
};

// To something that is no default.
void change(bool& option) { option = !option; }
void change(std::uint64_t& option) { option = 0xffffffffffffffff - option; }
void change(double& option) { option += 0.125; }
void change(Points& option) { option = Points::memory; }
void change(StrategyText& option) { option = "pct:depth=3"; }

Schedule example() {
  Schedule schedule;
  schedule.program = "/home/somebody/queue_test";
  schedule.arguments = {"--items", "3", "", "gr\xc3\xbc\xc3\x9f", std::string("\xff\x00x", 3)};
  schedule.build_id = "0123456789abcdef";
  schedule.check_number = 2;
  visit_fields<ScheduleOptions>(schedule, [](const auto&, auto& value) { change(value); });
  schedule.kind = "deadlock";
  schedule.message = "main waits for \"T1\"\n";
  schedule.execution = 17;
  schedule.passed = 3;
  schedule.plain_accesses = 123456789012;
  schedule.key_points = true;
  schedule.steps = 40;
  schedule.trace_hash = 0xfedcba9876543210;
  schedule.decisions = {0, 1, 47, 48, 63, 64, 1023, 1070, 1071, 4096, 65535, 2};
  schedule.checks = {0,         63,        7,         unchecked, unchecked, unchecked,
                     unchecked, unchecked, unchecked, unchecked, unchecked, 1};
  return schedule;
}

TEST_F(ScheduleFile, IsReadAsItWasWritten) {
  const Schedule written = example();
  write_schedule(path(), written);
  const Schedule read = read_schedule(path());
  EXPECT_EQ(read.program, written.program);
  EXPECT_EQ(read.arguments, written.arguments);
  EXPECT_EQ(read.build_id, written.build_id);
  EXPECT_EQ(read.check_number, written.check_number);
  visit_fields<ScheduleOptions>(written, [&](const auto& field, const auto& value) {
    EXPECT_TRUE(read.*field.member == value) << field.name;
    EXPECT_FALSE(Schedule().*field.member == value) << field.name;
  });
  EXPECT_EQ(read.kind, written.kind);
  EXPECT_EQ(read.message, written.message);
  EXPECT_EQ(read.execution, written.execution);
  EXPECT_EQ(read.passed, written.passed);
  EXPECT_EQ(read.plain_accesses, written.plain_accesses);
  EXPECT_EQ(read.key_points, written.key_points);
  EXPECT_EQ(read.steps, written.steps);
  EXPECT_EQ(read.trace_hash, written.trace_hash);
  EXPECT_EQ(read.decisions, written.decisions);
  EXPECT_EQ(read.checks, written.checks);
}

// As a version would have written it that did not know this option yet.
void forget_option(const std::string& path, const char* name) {
  nlohmann::ordered_json content = nlohmann::ordered_json::parse(std::ifstream(path));
  content.erase("checksum");
  ASSERT_EQ(content.erase(name), 1U) << name;
  std::uint64_t hash = 0;
  for (const unsigned char byte : content.dump()) hash = mix64(hash ^ byte);
  std::ostringstream checksum;
  checksum << std::hex << std::setw(16) << std::setfill('0') << hash;
  content["checksum"] = checksum.str();
  std::ofstream(path) << content.dump(1) << "\n";
}

TEST_F(ScheduleFile, OfAnEarlierVersionHasTheDefaultOfAnOptionThatIsYounger) {
  const Schedule defaults;
  visit_fields<ScheduleOptions>(defaults, [&](const auto& field, const auto& usual) {
    write_schedule(path(), example());
    forget_option(path(), field.name);
    EXPECT_TRUE(read_schedule(path()).*field.member == usual) << field.name;
  });
}

// Other versions read these lines, in this order.
TEST_F(ScheduleFile, HasItsOptionsAsTheyHaveAlwaysBeen) {
  write_schedule(path(), example());
  EXPECT_NE(content().find(" \"check_number\": 2,\n"
                           " \"points\": \"memory\",\n"
                           " \"races\": false,\n"
                           " \"spurious_wakeups\": true,\n"
                           " \"weak_failures\": true,\n"
                           " \"seed\": 18446744073709551614,\n"
                           " \"max_steps\": 18446744073709451615,\n"
                           " \"hang_seconds\": 10.125,\n"
                           " \"strategy\": \"pct:depth=3\",\n"
                           " \"kind\": \"deadlock\",\n"),
            std::string::npos)
      << content();
}

TEST_F(ScheduleFile, KeepsWhatEachDecisionLedTo) {
  Schedule written = example();
  const Operation lock{0x7ff0123456789abc, 0x555555555555, OperationKind::lock, 0};
  const Operation load{0, 1, OperationKind::atomic_load, 4};
  for (std::size_t i = 0; i < written.decisions.size(); ++i) {
    written.operations.push_back({task_id(static_cast<std::uint32_t>(i % 3)), i < 5 ? lock : load});
  }
  write_schedule(path(), written);
  const Schedule read = read_schedule(path());
  ASSERT_EQ(read.operations.size(), written.operations.size());
  for (std::size_t i = 0; i < read.operations.size(); ++i) {
    EXPECT_EQ(read.operations[i].task, written.operations[i].task);
    EXPECT_EQ(read.operations[i].operation.kind, written.operations[i].operation.kind);
    EXPECT_EQ(read.operations[i].operation.object, written.operations[i].operation.object);
    EXPECT_EQ(read.operations[i].operation.site, written.operations[i].operation.site);
  }
}

TEST_F(ScheduleFile, KeepsWhatTheFirstDecisionsOfALongExecutionLedTo) {
  Schedule written = example();
  written.decisions.assign(most_operations_kept + 1, 1);
  written.checks.assign(most_operations_kept + 1, 0);
  const TaskOperation lock{task_id(1), {1, 2, OperationKind::lock, 0}};
  written.operations.assign(most_operations_kept, lock);
  write_schedule(path(), written);
  EXPECT_EQ(read_schedule(path()).operations.size(), most_operations_kept);
  written.operations.pop_back();
  write_schedule(path(), written);
  EXPECT_THROW(read_schedule(path()), UsageError);
}

TEST_F(ScheduleFile, OfAnEarlierVersionHasNoOperations) {
  write_schedule(path(), example());
  EXPECT_EQ(content().find("operation"), std::string::npos);
  EXPECT_TRUE(read_schedule(path()).operations.empty());
}

TEST_F(ScheduleFile, KeepsEveryDecision) {
  Schedule written = example();
  written.decisions.clear();
  for (std::uint32_t decision = 0; decision <= 0xffff; ++decision) {
    written.decisions.push_back(static_cast<std::uint16_t>(decision));
  }
  written.checks.assign(written.decisions.size(), 5);
  write_schedule(path(), written);
  EXPECT_EQ(read_schedule(path()).decisions, written.decisions);
}

TEST_F(ScheduleFile, TakesTwoBytesForADecisionOfAThousandTasks) {
  Schedule schedule = example();
  schedule.decisions.clear();
  schedule.checks.clear();
  write_schedule(path(), schedule);
  const auto empty = std::filesystem::file_size(path());
  for (std::uint32_t i = 0; i < 100000; ++i) {
    schedule.decisions.push_back(static_cast<std::uint16_t>(i % 1024));
    schedule.checks.push_back(static_cast<std::uint8_t>(i % 64));
  }
  write_schedule(path(), schedule);
  EXPECT_LE(std::filesystem::file_size(path()) - empty, 200000 + 8);
}

TEST_F(ScheduleFile, ThatIsMissingIsNamed) {
  EXPECT_NE(error_of_reading("nothing.json").find("nothing.json': No such file"),
            std::string::npos);
}

TEST_F(ScheduleFile, ThatIsAFolderIsRefused) { EXPECT_NE(error_of_reading("."), ""); }

TEST_F(ScheduleFile, ThatIsCutOffAnywhereIsRefused) {
  write_schedule(path(), example());
  const std::string whole = content();
  // The last characters are the closing brace and the end of the line; the latter is not missed.
  for (std::size_t length = 0; length + 1 < whole.size(); ++length) {
    put(whole.substr(0, length));
    EXPECT_NE(error_of_reading(), "") << "cut to " << length;
  }
  put(whole.substr(0, whole.size() / 2));
  EXPECT_NE(error_of_reading().find("is damaged"), std::string::npos);
}

TEST_F(ScheduleFile, WithAFlippedBitIsRefusedOrMeansTheSame) {
  write_schedule(path(), example());
  const std::string whole = content();
  const Schedule written = example();
  for (std::size_t bit = 0; bit < whole.size() * 8; bit += 3) {
    std::string flipped = whole;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    put(flipped);
    if (error_of_reading().empty()) {
      const Schedule read = read_schedule(path());
      EXPECT_EQ(read.decisions, written.decisions) << "bit " << bit;
      EXPECT_EQ(read.arguments, written.arguments) << "bit " << bit;
      EXPECT_EQ(read.seed, written.seed) << "bit " << bit;
    }
  }
}

TEST_F(ScheduleFile, OfAnotherVersionIsNamedAsSuch) {
  put(R"({"schema": "ricercar.schedule/2", "anything": 1})");
  EXPECT_NE(error_of_reading().find("another version of Ricercar (ricercar.schedule/2"),
            std::string::npos);
}

TEST_F(ScheduleFile, ThatIsASummaryIsNamedAsSuch) {
  put(R"({"schema": "ricercar.run/1"})");
  EXPECT_NE(error_of_reading().find("summary of a run"), std::string::npos);
}

TEST_F(ScheduleFile, ThatIsForeignIsRefused) {
  for (const char* text : {"[]", "3", "{}", "{\"a\": 1}",
                           "\x7f"
                           "ELF",
                           "<html>", "null"}) {
    put(text);
    EXPECT_NE(error_of_reading().find("is not a Ricercar schedule"), std::string::npos) << text;
  }
}

TEST_F(ScheduleFile, ThatCannotBeWrittenLeavesNothingBehind) {
  EXPECT_THROW(write_schedule(path("missing/bug-1.json"), example()), UsageError);
  EXPECT_THROW(write_schedule("/dev/full/bug-1.json", example()), UsageError);
  EXPECT_FALSE(std::filesystem::exists(path("missing")));
}

}  // namespace
}  // namespace ricercar::inline model
