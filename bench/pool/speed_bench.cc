// How much faster two workers of a pool search than one, and what the pool takes of their time.
//
//   speed_bench TOOL PROGRAMS FOLDER BENCHMARKS.md
//
// PROGRAMS has those of the suites. What it makes goes to FOLDER. Both cores of the machine should
// be free.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/measure.h"
#include "support/process.h"
#include "support/redis.h"

namespace {

using namespace ricercar::bench;
using ricercar::test::Command;
using ricercar::test::Finished;
using ricercar::test::Process;
using Words = std::vector<std::string>;

constexpr int rounds = 5;
constexpr int most_workers = 2;
constexpr const char* executions = "100000";
constexpr double bar_speed = 1.8;
constexpr double bar_share = 0.02;

constexpr const char* rule =
    "The programs: of each of three suites the first one, by name, whose correct version has at "
    "least 100,000 executions in a search by `dpor`, of which so many are run. An execution a "
    "second is one of the result, by the clock of the command that leads. Redis and that command "
    "run on the same two cores. What the pool takes is the processor time of a worker, less that "
    "of `--jobs 1` for as many executions. The best of 5 rounds, each with one process, one "
    "worker, two workers.";

struct Subject {
  std::string name;
  Words command;
};

struct Measured {
  double seconds = 0;    // of the search
  double processor = 0;  // seconds, of those who search
};

class Pool {
 public:
  Pool(std::string tool, std::string folder) : tool_(std::move(tool)), folder_(std::move(folder)) {
    redis_ = std::make_unique<ricercar::test::RedisServer>(folder_ + "/redis");
  }

  Measured alone(const Subject& subject) const {
    const Finished finished = ricercar::test::run(lead(subject, {"--jobs", "1"}));
    return {seconds_of(finished), finished.processor_seconds};
  }

  Measured with_workers(const Subject& subject, int count) const {
    redis_->ask({"FLUSHALL"});
    std::vector<std::unique_ptr<Process>> workers;
    for (int i = 0; i < count; ++i) workers.push_back(std::make_unique<Process>(worker(subject)));
    const Finished led = ricercar::test::run(lead(subject, {"--pool", redis_->address("speed")}));
    Measured measured{seconds_of(led), 0};
    for (const auto& each : workers) measured.processor += each->wait().processor_seconds;
    return measured;
  }

 private:
  Command command(const Words& words, const Subject& subject) const {
    Command command;
    command.words = {tool_};
    command.words.insert(command.words.end(), words.begin(), words.end());
    command.words.push_back("--");
    command.words.insert(command.words.end(), subject.command.begin(), subject.command.end());
    command.folder = folder_;
    command.timeout_seconds = 600;
    return command;
  }
  Command lead(const Subject& subject, const Words& how) const {
    Words words = {"run",        "--quiet", "--json",       "-",
                   "--strategy", "dpor",    "--executions", executions};
    words.insert(words.end(), how.begin(), how.end());
    return command(words, subject);
  }
  Command worker(const Subject& subject) const {
    return command({"worker", redis_->address("speed"), "--wait", "60"}, subject);
  }

  static double seconds_of(const Finished& finished) {
    const auto summary = nlohmann::json::parse(finished.output, nullptr, false);
    if (finished.status != 0 || summary.is_discarded() ||
        summary["executions"] != std::stoull(executions)) {
      throw std::runtime_error(finished.output + finished.error);
    }
    return summary["seconds"];
  }

  const std::string tool_;
  const std::string folder_;
  std::unique_ptr<ricercar::test::RedisServer> redis_;
};

// The best of the rounds, each figure by itself.
void keep_best(Measured& best, const Measured& one) {
  if (best.seconds == 0 || one.seconds < best.seconds) best.seconds = one.seconds;
  if (best.processor == 0 || one.processor < best.processor) best.processor = one.processor;
}

std::string format(const char* text, double a, double b, double c) {
  char line[200];
  std::snprintf(line, sizeof line, text, a, b, c);
  return line;
}

std::vector<Row> rows_of(const Pool& pool, const Subject& subject) {
  Measured alone, one, two;
  for (int round = 0; round < rounds; ++round) {
    keep_best(alone, pool.alone(subject));
    keep_best(one, pool.with_workers(subject, 1));
    keep_best(two, pool.with_workers(subject, most_workers));
  }
  const double count = std::stod(executions);
  const double speed = one.seconds / two.seconds;
  const double share = (one.processor - alone.processor) / one.processor;
  return {{subject.name + ", two workers against one",
           format("%.2f times (%.0f and %.0f executions a second)", speed, count / one.seconds,
                  count / two.seconds),
           format("at least %.1f times", bar_speed, 0, 0), speed >= bar_speed},
          {subject.name + ", what the pool takes of a worker's processor time",
           format("%.1f %% (%.2f s alone, %.2f s as a worker)", 100 * share, alone.processor,
                  one.processor),
           format("at most %.0f %%", 100 * bar_share, 0, 0), share <= bar_share}};
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 5) {
    std::fprintf(stderr, "usage: speed_bench TOOL PROGRAMS FOLDER BENCHMARKS.md\n");
    return 2;
  }
  const std::string programs = std::filesystem::absolute(arguments[2]);
  const std::string folder = std::filesystem::absolute(arguments[3]);
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder + "/redis");
  const Subject subjects[] = {
      {"gambit/barrier1", {programs + "/gambit/barrier1", "fixed"}},
      {"hapset/compressor", {programs + "/hapset/compressor", "fixed", "2"}},
      {"protocols/chain_replication", {programs + "/chain_replication"}}};
  const Pool pool(std::filesystem::absolute(arguments[1]), folder);
  std::vector<Row> rows;
  for (const Subject& subject : subjects) {
    for (const Row& row : rows_of(pool, subject)) {
      std::printf("%s: %s\n", row.what.c_str(), row.figure.c_str());
      rows.push_back(row);
    }
  }
  write_section(arguments[4], "pool speed",
                "## Many machines: two workers instead of one\n\n" + machine() + "\n\n" + rule +
                    "\n\n" + table(rows) + "\n");
  return 0;
}
