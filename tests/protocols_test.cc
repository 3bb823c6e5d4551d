// The protocols of bench/suites/protocols: the correct versions pass, each bug is found and comes
// again in a replay. The rows are in checks.txt there; RICERCAR_PROTOCOLS is that folder and
// RICERCAR_PROTOCOL_PROGRAMS the one with the programs.
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "support/tool.h"

namespace ricercar::test {
namespace {

struct Row {
  std::string program;
  std::vector<std::string> arguments;
  std::string strategy;
  std::string executions;
  std::string outcome;
};

void PrintTo(const Row& row, std::ostream* out) {
  *out << row.program;
  for (const std::string& argument : row.arguments) *out << ' ' << argument;
  *out << ", " << row.strategy;
}

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::string next_column(std::istringstream& line) {
  std::string column;
  std::getline(line, column, '|');
  return trimmed(column);
}

Row row_of(const std::string& text) {
  std::istringstream line(text);
  Row row;
  row.program = next_column(line);
  std::istringstream arguments(next_column(line));
  for (std::string argument; arguments >> argument;) row.arguments.push_back(argument);
  row.strategy = next_column(line);
  row.executions = next_column(line);
  row.outcome = next_column(line);
  return row;
}

std::vector<Row> rows() {
  std::vector<Row> result;
  std::ifstream file(std::string(RICERCAR_PROTOCOLS) + "/checks.txt");
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line[0] != '#') result.push_back(row_of(line));
  }
  return result;
}

class ProtocolsTest : public ToolTest, public testing::WithParamInterface<Row> {
 protected:
  static nlohmann::json search(const Row& row, const std::string& cores = "2") {
    Words words = {
        "run", "--quiet",      "--json",
        "-",   "--strategy",   row.strategy,
        "-n",  row.executions, "--cores",
        cores, "--",           std::string(RICERCAR_PROTOCOL_PROGRAMS) + "/" + row.program};
    words.insert(words.end(), row.arguments.begin(), row.arguments.end());
    const Finished finished = tool(words);
    EXPECT_FALSE(finished.timed_out) << last();
    const std::size_t start = finished.output.find('{');
    if (start == std::string::npos) return {};
    return nlohmann::json::parse(finished.output.substr(start));
  }
};

TEST_P(ProtocolsTest, EndAsTheTableSays) {
  const Row& row = GetParam();
  const nlohmann::json summary = search(row);
  ASSERT_TRUE(summary.is_object()) << last();
  if (row.outcome == "ok" || row.outcome == "complete") {
    EXPECT_EQ(summary["bugs"].size(), 0U) << last();
    EXPECT_EQ(summary["complete"], row.outcome == "complete") << last();
    return;
  }
  ASSERT_EQ(summary["bugs"].size(), 1U) << last();
  EXPECT_EQ(summary["bugs"][0]["kind"], row.outcome) << last();
  expect(tool({"replay", summary["bugs"][0]["schedule"]}), 1, {});
}

INSTANTIATE_TEST_SUITE_P(Table, ProtocolsTest, testing::ValuesIn(rows()));

// The small ones that are exhausted within a second.
std::vector<Row> small_rows() {
  return {
      {"commit", {"3", "1"}, "", "", ""},   {"commit", {"4", "2"}, "", "", ""},
      {"ring_election", {}, "", "", ""},    {"lease_lock", {}, "", "", ""},
      {"failure_detector", {}, "", "", ""}, {"directory", {}, "", "", ""},
      {"stop_drain", {}, "", "", ""},       {"osr", {"requests=1", "cancellations=0"}, "", "", ""},
  };
}

class AgreementTest : public ProtocolsTest {
 protected:
  // What must not depend on the number of cores.
  static nlohmann::json result(const std::string& strategy, const std::string& cores) {
    Row row = GetParam();
    row.strategy = strategy;
    row.executions = "100000000";
    nlohmann::json summary = search(row, cores);
    EXPECT_TRUE(summary.is_object() && summary["complete"]) << last();
    for (nlohmann::json& stratum : summary["strata"]) stratum.erase("seconds");
    return {summary["executions"], summary["steps"], summary["coverage"], summary["strata"]};
  }
  static std::uint64_t states(const std::string& strategy, const std::string& cores = "1") {
    return result(strategy, cores).at(3).back()["states"];
  }
};

TEST_P(AgreementTest, EveryStateIsVisitedWhateverTheSearch) {
  const std::uint64_t all = states("ses");
  EXPECT_GT(all, 10U);
  for (const char* strategy :
       {"ses:explorer=rtc", "ses:explorer=prr", "ses:step=3", "ses:explorer=rtc,step=100000",
        "ses:reduce=yes", "ses:explorer=rtc,reduce=yes,step=100000",
        "pb:bound=1000000,cache=yes"}) {
    EXPECT_EQ(states(strategy), all) << strategy;
  }
}

TEST_P(AgreementTest, TwoCoresDoWhatOneDoes) {
  for (const char* strategy : {"ses", "ses:explorer=rtc", "ses:explorer=prr"}) {
    EXPECT_EQ(result(strategy, "1"), result(strategy, "2")) << strategy;
  }
}

// Strategies that kernel threads cannot share are shared by processes.
TEST_P(AgreementTest, TwoProcessesDoWhatOneDoes) {
  for (const char* strategy :
       {"random", "surw", "rff", "dfs", "pb:bound=2", "dpor", "bpor", "irs", "portfolio"}) {
    const auto summary_of = [&](const char* jobs) {
      Row row = GetParam();
      row.strategy = strategy;
      row.executions = "2000";
      nlohmann::json summary = search(row, jobs);
      summary.erase("seconds");
      for (nlohmann::json& stratum : summary["strata"]) stratum.erase("seconds");
      return summary;
    };
    EXPECT_EQ(summary_of("1"), summary_of("2")) << strategy;
  }
}

INSTANTIATE_TEST_SUITE_P(Small, AgreementTest, testing::ValuesIn(small_rows()));

}  // namespace
}  // namespace ricercar::test
