#include "measure.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

namespace ricercar::bench {
namespace {

void pin_to_this_core() {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(sched_getcpu(), &set);
  sched_setaffinity(0, sizeof set, &set);
}

void unpin() {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int i = 0; i < 64; ++i) CPU_SET(i, &set);
  sched_setaffinity(0, sizeof set, &set);
}

void futex(std::atomic<int>& word, int operation, int value) {
  syscall(SYS_futex, &word, operation, value, nullptr, nullptr, 0);
}

void wait_for_turn(std::atomic<int>& turn, int mine) {
  while (turn.load() != mine) futex(turn, FUTEX_WAIT_PRIVATE, 1 - mine);
}

void pass_turn(std::atomic<int>& turn, int mine) {
  turn.store(1 - mine);
  futex(turn, FUTEX_WAKE_PRIVATE, 1);
}

double time_handovers(int rounds) {
  std::atomic<int> turn{0};
  pin_to_this_core();
  std::thread other([&] {
    for (int i = 0; i < rounds; ++i) {
      wait_for_turn(turn, 1);
      pass_turn(turn, 1);
    }
  });
  const double start = seconds_now();
  for (int i = 0; i < rounds; ++i) {
    wait_for_turn(turn, 0);
    pass_turn(turn, 0);
  }
  wait_for_turn(turn, 0);
  const double elapsed = seconds_now() - start;
  other.join();
  unpin();
  return elapsed / (2.0 * rounds);
}

std::string today() {
  const time_t now = time(nullptr);
  char text[32];
  strftime(text, sizeof text, "%Y-%m-%d", gmtime(&now));
  return text;
}

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  }
  return "unknown processor";
}

}  // namespace

double seconds_now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

double best_of(int rounds, const std::function<double()>& measure) {
  double best = measure();
  for (int i = 1; i < rounds; ++i) best = std::min(best, measure());
  return best;
}

double handover_seconds() {
  return best_of(5, [] { return time_handovers(20000); });
}

double fork_seconds() {
  constexpr int count = 500;
  return best_of(5, [] {
    const double start = seconds_now();
    for (int i = 0; i < count; ++i) {
      const pid_t child = fork();
      if (child == 0) _exit(0);
      int status;
      waitpid(child, &status, 0);
    }
    return (seconds_now() - start) / count;
  });
}

std::string table(const std::vector<Row>& rows) {
  std::string text = "| what | measured | bar | met |\n|---|---|---|---|\n";
  for (const Row& row : rows) {
    text += "| " + row.what + " | " + row.figure + " | " + row.bar + " | " +
            (row.bar.empty() ? ""
             : row.met       ? "yes"
                             : "**no**") +
            " |\n";
  }
  return text;
}

std::string machine() {
  utsname name{};
  uname(&name);
  return "Measured on " + today() + ", " + processor() + ", " +
         std::to_string(sysconf(_SC_NPROCESSORS_ONLN)) + " cores, Linux " + name.release + ".";
}

void write_section(const std::string& path, const std::string& name, const std::string& text) {
  const std::string begin = "<!-- begin " + name + " -->\n";
  const std::string end = "<!-- end " + name + " -->\n";
  std::ifstream in(path);
  std::string all((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  in.close();
  if (all.empty()) {
    all =
        "# Benchmarks\n\nWritten by the benchmark programs themselves (`make bench`). Ratios "
        "within "
        "a run count; absolute times are noise on a shared machine.\n\n";
  }
  const std::size_t from = all.find(begin);
  const std::size_t to = all.find(end);
  const std::string section = begin + text + end;
  if (from == std::string::npos || to == std::string::npos) {
    all += section;
  } else {
    all.replace(from, to + end.size() - from, section);
  }
  std::ofstream(path) << all;
}

}  // namespace ricercar::bench
