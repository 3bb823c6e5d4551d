// The speed of the engine: the table of the design's section 9 and the bars of the first issue,
// each as a ratio within this run. Usage: engine_bench TOOL SMALL_PROGRAM BENCHMARKS.md
#include <ricercar/ricercar.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <memory>
#include <mutex>
#include <sstream>
#include <thread>
#include <vector>

#include "measure.h"

namespace {

using namespace ricercar::bench;

std::string format(const char* pattern, double a, double b = 0) {
  char text[256];
  std::snprintf(text, sizeof text, pattern, a, b);
  return text;
}

void lock_sections(int threads, int sections) {
  std::mutex mutex;
  int counter = 0;
  const auto work = [&] {
    for (int i = 0; i < sections; ++i) {
      const std::lock_guard lock(mutex);
      ++counter;
    }
  };
  std::vector<std::thread> all;
  for (int i = 0; i < threads; ++i) all.emplace_back(work);
  for (std::thread& thread : all) thread.join();
}

void three_by_two() {
  std::mutex mutex;
  int counter = 0;
  const auto work = [&] {
    for (int i = 0; i < 2; ++i) {
      const std::lock_guard lock(mutex);
      ++counter;
    }
  };
  std::thread a(work), b(work), c(work);
  a.join();
  b.join();
  c.join();
}

void six_atomics() {
  std::atomic<int> x{0};
  const auto work = [&] {
    for (int i = 0; i < 3; ++i) x.fetch_add(1);
  };
  std::thread a(work), b(work);
  a.join();
  b.join();
}

// Threads that only touch atomics of their own: all of them stay enabled all the time.
void busy_threads(int threads, int steps) {
  std::vector<std::atomic<int>> counters(static_cast<std::size_t>(threads));
  std::vector<std::thread> all;
  for (int i = 0; i < threads; ++i) {
    all.emplace_back([&counters, i, steps] {
      for (int n = 0; n < steps; ++n) counters[static_cast<std::size_t>(i)].fetch_add(1);
    });
  }
  for (std::thread& thread : all) thread.join();
}

struct Speed {
  double executions_per_second = 0;
  double steps_per_second = 0;
};

template <typename Body>
Speed speed_of(std::uint64_t executions, bool races, Body body, int rounds = 5) {
  Speed best;
  for (int i = 0; i < rounds; ++i) {
    const auto result = ricercar::check({.strategy = "random",
                                         .executions = executions,
                                         .steps = 2000000,
                                         .races = races,
                                         .out = "/tmp"},
                                        body);
    if (!result) {
      std::cerr << result;
      std::exit(1);
    }
    const double executions_done = static_cast<double>(result.executions);
    best.executions_per_second =
        std::max(best.executions_per_second, executions_done / result.seconds);
    best.steps_per_second =
        std::max(best.steps_per_second, static_cast<double>(result.steps) / result.seconds);
  }
  return best;
}

double native_seconds() {
  return best_of(5, [] {
    constexpr int count = 300;
    const double start = seconds_now();
    for (int i = 0; i < count; ++i) six_atomics();
    return (seconds_now() - start) / count;
  });
}

long resident_kilobytes() {
  std::ifstream file("/proc/self/statm");
  long total = 0;
  long resident = 0;
  file >> total >> resident;
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

std::string output_of(const std::string& command) {
  std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string text;
  char buffer[4096];
  while (std::fgets(buffer, sizeof buffer, pipe.get()) != nullptr) text += buffer;
  return text;
}

// Executions per second of a whole program, as the tool itself reports them.
double tool_rate(const std::string& tool, const std::string& program, const std::string& options,
                 int rounds = 5) {
  double best = 0;
  for (int i = 0; i < rounds; ++i) {
    const std::string text = output_of(tool + " run --strategy random --json - " + options + " " +
                                       program + " 2>/dev/null");
    const auto field = [&text](const std::string& name) {
      const std::size_t at = text.find("\"" + name + "\":");
      return at == std::string::npos ? 0.0 : std::atof(text.c_str() + at + name.size() + 3);
    };
    if (field("seconds") > 0) best = std::max(best, field("executions") / field("seconds"));
  }
  return best;
}

// The shortest of some replays of the last bug found, from the start of the tool to its end.
double replay_seconds(const std::string& tool, int rounds = 5) {
  double best = 1e9;
  for (int i = 0; i < rounds; ++i) {
    const double start = seconds_now();
    output_of(tool + " replay --quiet bench-out/bug-1.json 2>/dev/null");
    best = std::min(best, seconds_now() - start);
  }
  return best;
}

class Report {
 public:
  void add(const std::string& what, const std::string& figure, const std::string& bar = "",
           bool met = true) {
    rows_.push_back({what, figure, bar, met});
    std::cout << (bar.empty() || met ? "      " : "SHORT ") << what << ": " << figure
              << (bar.empty() ? "" : "   (bar: " + bar + ")") << std::endl;
    short_ += met ? 0 : 1;
  }
  const std::vector<Row>& rows() const { return rows_; }
  int missed() const { return short_; }

 private:
  std::vector<Row> rows_;
  int short_ = 0;
};

void measure_steps(Report& report, double handover) {
  const Speed off = speed_of(2000, false, [] { lock_sections(2, 1000); });
  const double steps = off.steps_per_second * handover;
  report.add("a step, trace on, race detection off (2 threads, 1,000 lock-unlock each)",
             format("%.1f steps in a hand-over (%.1f million a second)", steps,
                    off.steps_per_second / 1e6),
             "52 (and 50)", steps >= 52);
  const Speed on = speed_of(2000, true, [] { lock_sections(2, 1000); });
  const double checked = on.steps_per_second * handover;
  report.add("the same with race detection on",
             format("%.1f steps in a hand-over (%.1f million a second)", checked,
                    on.steps_per_second / 1e6),
             "15", checked >= 15);
}

void measure_executions(Report& report, double handover) {
  const Speed off = speed_of(300000, false, three_by_two);
  const double share = 1 / off.executions_per_second / handover;
  report.add("an execution of 3 threads with 2 lock-increment-unlock each",
             format("%.2f hand-overs (%.0f executions a second)", share, off.executions_per_second),
             "at most 0.5", share <= 0.5);
  const Speed on = speed_of(300000, true, three_by_two);
  report.add("the same with race detection on",
             format("%.2f hand-overs (%.0f executions a second)",
                    1 / on.executions_per_second / handover, on.executions_per_second));
  const Speed small = speed_of(300000, false, six_atomics);
  const double ratio = native_seconds() * small.executions_per_second;
  report.add("a small execution (2 threads, 6 atomic operations) against running it natively",
             format("%.1f times faster", ratio), "10", ratio >= 10);
}

void measure_whole_programs(Report& report, const std::string& tool, const std::string& program) {
  const double fork_rate = 1 / fork_seconds();
  const double restored = tool_rate(tool, program, "--no-races --executions 200000");
  report.add(
      "a whole program, restarted by restoring memory",
      format("%.0f executions a second, %.1f times the fork rate", restored, restored / fork_rate),
      "100,000 and 20 times", restored >= 100000 && restored / fork_rate >= 20);
  const double forked = tool_rate(tool, program, "--no-races --fork --executions 2000");
  report.add("the same with a fork for each execution",
             format("%.0f executions a second, %.2f of the fork rate", forked, forked / fork_rate),
             "0.5", forked / fork_rate >= 0.5);
}

// A report is made from a replay that is recorded. What starting the tool takes is measured with a
// program that does nothing.
void measure_recording(Report& report, const std::string& tool, const std::string& program) {
  tool_rate(tool, program + " 0", "--out bench-out --executions 1", 1);
  const double nothing = replay_seconds(tool);
  for (const auto& [what, arguments] :
       {std::pair("threads that compute, with loops and recursion", " 1 64"),
        std::pair("threads in calls a thousand deep, with an access in each", " 3 100"),
        std::pair("a start of ten million accesses before the first thread", " 2 64")}) {
    const double execution =
        1 / tool_rate(tool, program + arguments, "--out bench-out --executions 1", 3);
    const double ratio = (replay_seconds(tool) - nothing) / execution;
    report.add(std::string("recording ") + what,
               format("%.2f times the execution (%.2f s)", ratio, execution), "at most 5",
               ratio <= 5);
  }
}

void measure_scaling(Report& report) {
  std::vector<double> rates;
  std::string figures;
  for (const int steps : {10, 1000, 100000}) {
    const auto executions = static_cast<std::uint64_t>(4000000 / steps);
    const Speed speed = speed_of(
        executions, false, [steps] { busy_threads(2, steps / 2); }, 3);
    rates.push_back(speed.steps_per_second);
    figures += (figures.empty() ? "" : ", ") + format("%.1f", speed.steps_per_second / 1e6);
  }
  const auto [slow, fast] = std::minmax_element(rates.begin(), rates.end());
  report.add("million steps a second with 10, 1,000 and 100,000 steps per execution",
             figures + format(" (factor %.2f)", *fast / *slow), "at most a factor of 2",
             *fast / *slow <= 2);
  rates.clear();
  figures.clear();
  for (const int threads : {2, 8, 64, 512}) {
    const int steps = 100000 / threads;
    const Speed speed = speed_of(
        30, false, [=] { busy_threads(threads, steps); }, 3);
    rates.push_back(speed.steps_per_second);
    figures += (figures.empty() ? "" : ", ") + format("%.1f", speed.steps_per_second / 1e6);
  }
  const auto [least, most] = std::minmax_element(rates.begin(), rates.end());
  report.add("million steps a second with 2, 8, 64 and 512 threads",
             figures + format(" (factor %.2f)", *most / *least), "at most a factor of 3",
             *most / *least <= 3);
}

void measure_memory(Report& report) {
  speed_of(100000, true, three_by_two, 1);
  const long early = resident_kilobytes();
  speed_of(1000000, true, three_by_two, 1);
  const long late = resident_kilobytes();
  report.add("resident memory after 10^5 and after 10^6 more executions",
             std::to_string(early) + " KB, " + std::to_string(late) + " KB", "flat (within 2 %)",
             static_cast<double>(late) <= static_cast<double>(early) * 1.02);
}

void measure_schedule(Report& report) {
  const auto result = ricercar::check(
      {.strategy = "random", .executions = 1, .races = false, .out = "bench-out"}, [] {
        lock_sections(2, 5000);
        ricercar::require(false, "the end of a long execution");
      });
  if (result.bugs.empty() || result.bugs[0].schedule.empty()) return;
  std::ifstream file(result.bugs[0].schedule);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const auto field = [&text](const std::string& name) {
    return text.c_str() + text.find(':', text.find("\"" + name + "\"")) + 1;
  };
  const double decisions = std::atof(field("decision_count"));
  const char* first = std::strchr(field("decisions"), '"') + 1;
  const auto coded = static_cast<double>(std::strchr(first, '"') - first);
  const double fixed = static_cast<double>(text.size()) - coded;
  report.add("the size of a schedule file",
             format("%.2f bytes a decision, and %.0f bytes for the rest", coded / decisions, fixed),
             "at most 2 a decision", coded <= 2 * decisions);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 5) {
    std::cerr << "usage: engine_bench TOOL SMALL_PROGRAM BUSY_PROGRAM BENCHMARKS.md\n";
    return 2;
  }
  Report report;
  const double handover = handover_seconds();
  report.add("the unit: a futex hand-over between two kernel threads on one core",
             format("%.2f microseconds", handover * 1e6));
  measure_steps(report, handover);
  measure_executions(report, handover);
  measure_whole_programs(report, arguments[1], arguments[2]);
  measure_recording(report, arguments[1], arguments[3]);
  measure_scaling(report);
  measure_memory(report);
  measure_schedule(report);
  write_section(arguments[4], "engine",
                "## Engine\n\n" + machine() + "\n\n" + table(report.rows()) + "\n");
  std::cout << report.missed() << " bars missed\n";
  return 0;
}
