// The speed and the memory of the searches with guarantees, resident and on one core, against the
// bars of the issue. Usage: reduction_bench BENCHMARKS.md
//
// Seconds depend on the machine, so each bar is scaled: where a one-core futex hand-over costs 2.1
// microseconds the bar stands as it is written.
#include <ricercar/ricercar.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "engine/measure.h"

namespace {

using namespace ricercar::bench;

constexpr double reference_handover = 2.1e-6;
constexpr int rounds = 3;

std::string format(const char* pattern, double a, double b = 0, double c = 0) {
  char text[256];
  std::snprintf(text, sizeof text, pattern, a, b, c);
  return text;
}

void run_threads(int threads, const std::function<void(int)>& body) {
  std::vector<std::thread> running;
  for (int i = 0; i < threads; ++i) running.emplace_back(body, i);
  for (std::thread& thread : running) thread.join();
}

// --- The programs ---

void load_store(int times) {
  std::atomic<int> x{0};
  const auto work = [&x, times] {
    for (int i = 0; i < times; ++i) {
      x.load();
      x.store(i);
    }
  };
  std::thread a(work), b(work);
  a.join();
  b.join();
}

void critical_sections(int threads, int sections) {
  std::mutex mutex;
  int counter = 0;
  run_threads(threads, [&](int) {
    for (int i = 0; i < sections; ++i) {
      const std::lock_guard guard(mutex);
      ++counter;
    }
  });
}

// The indexer of Flanagan and Godefroid (POPL 2005).
void indexer(int threads) {
  constexpr int places = 128;
  constexpr int messages = 4;
  std::array<std::atomic<int>, places> table = {};
  run_threads(threads, [&table](int thread) {
    for (int message = 1; message <= messages; ++message) {
      const int word = message * 11 + thread;
      int place = word * 7 % places;
      int free = 0;
      while (!table[static_cast<std::size_t>(place)].compare_exchange_strong(free, word)) {
        place = (place + 1) % places;
        free = 0;
      }
    }
  });
}

// Two threads, so many steps in all.
void locks_of_length(int steps) { critical_sections(2, steps / 4); }

void atomics_of_length(int steps) {
  constexpr std::size_t variables = 64;
  std::array<std::atomic<int>, variables> all = {};
  run_threads(2, [&all, steps](int thread) {
    for (int i = 0; i < steps / 2; ++i) {
      const auto at = static_cast<std::size_t>(i * (thread + 3));
      all[at % variables].fetch_add(1);
    }
  });
}

// Threads that share nothing, so that a point has many alternatives and a search much to remember.
void busy_threads(int threads, int steps) {
  std::vector<std::atomic<int>> counters(static_cast<std::size_t>(threads));
  run_threads(threads, [&counters, steps](int thread) {
    for (int i = 0; i < steps; ++i) counters[static_cast<std::size_t>(thread)].fetch_add(1);
  });
}

// --- Measuring ---

struct Measured {
  double executions = 0;
  double seconds = 0;
  double processor_seconds = 0;  // less, if others have the core for some of the time
  double steps = 0;
  double peak_bytes = 0;      // of the whole process
  double baseline_bytes = 0;  // before the search
  double waiting = 0;         // pending executions, if the search was interrupted
};

double peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024;
}

double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

double waiting_in(const std::string& coverage) {
  const std::size_t at = coverage.find("; ");
  return at == std::string::npos ? 0 : std::atof(coverage.c_str() + at + 2);
}

// In a process of its own: the peak of one measurement must not hide that of the next one.
template <typename Body>
Measured measure(const ricercar::Options& options, Body body) {
  int ends[2];
  if (pipe(ends) != 0) std::abort();
  const pid_t child = fork();
  if (child == 0) {
    Measured measured;
    measured.baseline_bytes = peak_bytes();
    const double start = processor_seconds();
    const ricercar::Result result = ricercar::check(options, body);
    if (!result) {
      std::cerr << result;
      _exit(1);
    }
    measured.executions = static_cast<double>(result.executions);
    measured.seconds = result.seconds;
    measured.processor_seconds = processor_seconds() - start;
    measured.steps = static_cast<double>(result.steps);
    measured.peak_bytes = peak_bytes();
    if (!result.complete) measured.waiting = waiting_in(result.coverage);
    const bool sent = write(ends[1], &measured, sizeof measured) == sizeof measured;
    _exit(sent ? 0 : 1);
  }
  close(ends[1]);
  Measured measured;
  const bool received = read(ends[0], &measured, sizeof measured) == sizeof measured;
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!received || status != 0) {
    std::cerr << "reduction_bench: a search has failed\n";
    std::exit(1);
  }
  return measured;
}

template <typename Body>
Measured fastest(const ricercar::Options& options, Body body) {
  Measured best = measure(options, body);
  for (int i = 1; i < rounds; ++i) {
    const Measured other = measure(options, body);
    if (other.seconds < best.seconds) best = other;
  }
  return best;
}

ricercar::Options search(const std::string& strategy, bool races, std::uint64_t executions = 0) {
  ricercar::Options options;
  options.strategy = strategy;
  options.executions = executions;
  options.steps = 1000000;
  options.races = races;
  return options;
}

class Report {
 public:
  explicit Report(double handover) : handover_(handover) {}

  double handover() const { return handover_; }
  void add(const std::string& what, const std::string& figure, const std::string& bar = "",
           bool met = true) {
    rows_.push_back({what, figure, bar, met});
    std::cout << (bar.empty() || met ? "      " : "SHORT ") << what << ": " << figure
              << (bar.empty() ? "" : "   (bar: " + bar + ")") << std::endl;
  }
  const std::vector<Row>& rows() const { return rows_; }

 private:
  double handover_;
  std::vector<Row> rows_;
};

// --- The bars ---

constexpr double megabyte = 1 << 20;
constexpr double memory_bar = 32;

template <typename Body>
void measure_traces(Report& report, const std::string& what, std::uint64_t traces,
                    double bar_seconds, Body body) {
  for (const bool races : {false, true}) {
    const Measured measured = fastest(search("dpor", races), body);
    const bool exact = static_cast<std::uint64_t>(measured.executions) == traces;
    const double bar = bar_seconds * report.handover() / reference_handover;
    report.add(
        what + (races ? ", races on" : ", races off"),
        format("%.0f executions in %.2f s", measured.executions, measured.seconds) +
            format(" (%.2f s of the processor), %.2f hand-overs each", measured.processor_seconds,
                   measured.seconds / measured.executions / report.handover()),
        std::to_string(traces) +
            format(" in %.2f s (%.1f s at 2.1 microseconds)", bar, bar_seconds),
        exact && measured.seconds <= bar);
    const double peak = measured.peak_bytes / megabyte;
    report.add("peak memory of it", format("%.1f MB", peak), format("%.0f MB", memory_bar),
               peak <= memory_bar);
  }
}

constexpr int lengths[] = {100, 1000, 10000, 100000};
constexpr std::uint64_t first_executions = 200;

// The costs per step and logarithm must not grow: the bar allows for noise, and for the caches that
// a long trace no longer fits into.
constexpr double growth_bar = 2;

template <typename Body>
void measure_growth(Report& report, const std::string& what, const std::string& strategy,
                    Body body) {
  std::string per_step;
  std::string per_step_and_log;
  std::vector<double> costs;
  for (const int length : lengths) {
    const Measured measured =
        fastest(search(strategy, false, first_executions), [&body, length] { body(length); });
    const double nanoseconds = measured.seconds * 1e9 / measured.steps;
    const double length_here = measured.steps / measured.executions;
    costs.push_back(nanoseconds / std::log2(length_here));
    per_step += (per_step.empty() ? "" : ", ") + format("%.0f", nanoseconds);
    per_step_and_log += (per_step_and_log.empty() ? "" : ", ") + format("%.1f", costs.back());
  }
  // From 1,000 steps on: below, what an execution costs apart from its steps is what counts.
  const double growth = costs.back() / costs[1];
  report.add("`" + strategy + "`, " + what +
                 ", 100 to 100,000 steps: nanoseconds a step; the same by log2 of the length",
             per_step + "; " + per_step_and_log,
             format("the last at most %.0f times that of 1,000 steps", growth_bar),
             growth <= growth_bar);
}

void measure_lengths(Report& report) {
  for (const std::string strategy : {"dpor", "bestfirst:space=dpor,priority=mdpor+pb"}) {
    measure_growth(report, "two threads with lock and unlock", strategy, locks_of_length);
    measure_growth(report, "two threads with atomics on 64 variables", strategy, atomics_of_length);
  }
}

void measure_fringe(Report& report) {
  constexpr double pending = 1e6;
  constexpr double bar = 64;
  Measured measured;
  for (std::uint64_t executions = 100; measured.waiting < pending; executions += executions / 10) {
    measured = measure(search("bestfirst:space=all,priority=pb", false, executions),
                       [] { busy_threads(8, 40); });
  }
  const double peak = measured.peak_bytes / megabyte;
  const double bytes = (measured.peak_bytes - measured.baseline_bytes) / measured.waiting;
  report.add(
      "`bestfirst:space=all`, peak memory with a million executions pending",
      format("%.1f MB with %.2f million, %.1f bytes for each", peak, measured.waiting / 1e6, bytes),
      format("%.0f MB for a million", bar), peak * pending / measured.waiting <= bar);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: reduction_bench BENCHMARKS.md\n";
    return 2;
  }
  Report report(best_of(3, handover_seconds));
  report.add("the unit: a futex hand-over between two kernel threads on one core",
             format("%.2f microseconds", report.handover() * 1e6));
  measure_traces(report, "`dpor`, load-store(6)", 372436, 2.5, [] { load_store(6); });
  measure_traces(report, "`dpor`, 3 threads with 4 critical sections", 34650, 0.6,
                 [] { critical_sections(3, 4); });
  measure_traces(report, "`dpor`, the indexer with 15 threads", 4096, 0.5, [] { indexer(15); });
  measure_lengths(report);
  measure_fringe(report);
  write_section(arguments[1], "reduction",
                "## Reduction\n\n" + machine() + " Resident (`ricercar::check`), on one core.\n\n" +
                    table(report.rows()) + "\n");
  return 0;
}
