// What a step costs with each strategy that samples, and with the portfolio, as a multiple of what
// it costs with `random`. All are measured by turns in one run, and the fastest round of each
// counts.
//
//   samplers_bench BENCHMARKS.md
#include <ricercar/ricercar.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <functional>
#include <iostream>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "measure.h"

namespace {

using namespace ricercar::bench;

constexpr int rounds = 7;
constexpr double bar = 1.5;  // for those that sample
const std::vector<std::string> samplers = {"random", "pct:depth=3", "pos", "surw", "rff"};
const std::string portfolio = "portfolio";

void run_threads(int count, const std::function<void(int)>& body) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back(body, i);
  for (std::thread& thread : threads) thread.join();
}

// Nothing races: all threads can go on all the time.
void atomics_of_their_own(int threads, int steps) {
  std::vector<std::atomic<int>> counters(static_cast<std::size_t>(threads));
  run_threads(threads, [&](int i) {
    for (int n = 0; n < steps; ++n) counters[static_cast<std::size_t>(i)].fetch_add(1);
  });
}

// Everything races.
void one_atomic(int threads, int steps) {
  std::atomic<int> counter = 0;
  run_threads(threads, [&](int) {
    for (int n = 0; n < steps; ++n) counter.fetch_add(1);
  });
}

void one_lock(int threads, int steps) {
  std::mutex mutex;
  int counter = 0;
  run_threads(threads, [&](int) {
    for (int n = 0; n < steps / 2; ++n) {
      const std::lock_guard guard(mutex);
      ++counter;
    }
  });
}

// As programs are: mostly something of one's own, and now and then something that all share.
void a_lock_now_and_then(int threads, int steps) {
  std::vector<std::atomic<int>> counters(static_cast<std::size_t>(threads));
  std::mutex mutex;
  int sum = 0;
  run_threads(threads, [&](int i) {
    std::atomic<int>& own = counters[static_cast<std::size_t>(i)];
    for (int n = 0; n < steps; ++n) {
      if (n % 10 == 9) {
        const std::lock_guard guard(mutex);
        sum += own;
      } else {
        own.fetch_add(1);
      }
    }
  });
}

struct Program {
  const char* name;
  void (*run)(int threads, int steps);
};

constexpr Program programs[] = {
    {"atomics of their own", atomics_of_their_own},
    {"their own, and a lock now and then", a_lock_now_and_then},
    {"one lock", one_lock},
    {"one atomic", one_atomic},
};

// Of this process: the machine may have other things to do.
double processor_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

double seconds_per_step(const std::string& strategy, const Program& program, int threads) {
  constexpr int steps = 200;  // of each thread
  const double start = processor_seconds();
  const auto result = ricercar::check({.strategy = strategy,
                                       .executions = static_cast<std::uint64_t>(1000 / threads),
                                       .races = false,
                                       .out = "/tmp"},
                                      [&] { program.run(threads, steps); });
  if (!result) {
    std::cerr << result;
    std::exit(1);
  }
  return (processor_seconds() - start) / static_cast<double>(result.steps);
}

std::string row_of(const Program& program, int threads) {
  std::vector<std::string> strategies = samplers;
  strategies.push_back(portfolio);
  std::vector<double> best(strategies.size(), 1);
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < strategies.size(); ++i) {
      best[i] = std::min(best[i], seconds_per_step(strategies[i], program, threads));
    }
  }
  char text[80];
  std::snprintf(text, sizeof text, " | %d | %.0f ns |", threads, best[0] * 1e9);
  std::string row = std::string("| ") + program.name + text;
  for (std::size_t i = 1; i < strategies.size(); ++i) {
    const double ratio = best[i] / best[0];
    const bool is_met = ratio <= bar || strategies[i] == portfolio;
    std::snprintf(text, sizeof text, is_met ? " %.2f |" : " **%.2f** |", ratio);
    row += text;
  }
  return row + "\n";
}

std::string header() {
  std::string text = "| threads with | how many | `random`, a step |";
  std::string line = "\n|---|---|---|";
  for (std::size_t i = 1; i < samplers.size(); ++i) {
    text += " `" + samplers[i] + "` |";
    line += "---|";
  }
  return text + " `" + portfolio + "` |" + line + "---|\n";
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: samplers_bench BENCHMARKS.md\n";
    return 2;
  }
  std::string rows;
  for (const Program& program : programs) {
    for (const int threads : {2, 10, 64}) {
      const std::string row = row_of(program, threads);
      std::cout << row << std::flush;
      rows += row;
    }
  }
  write_section(
      arguments[1], "samplers",
      "## What a step costs with a sampler\n\n" + machine() +
          "\n\nMultiples of what a step costs with `random`, without race detection: processor "
          "time of executions with 200 steps of each thread, their beginning and end "
          "included, the least of " +
          std::to_string(rounds) +
          " rounds in one run. The bar for those that sample: at most 1.5.\n\n" + header() + rows +
          "\n");
  return 0;
}
