// The speed of deployed machines: tokens that go round a ring, and many senders to one receiver.
// Usage: deploy_bench BENCHMARKS.md
#include <ricercar/deploy.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "engine/measure.h"

namespace {

using namespace ricercar;
using namespace ricercar::bench;

struct Token {
  std::uint32_t rounds;
};

struct Relay : Machine {
  MachineId next;
  struct Relaying;
  static void define(Definition<Relay>& machine) { machine.state<Relaying>().on(&Relay::pass); }
  void pass(const Token& token) {
    if (token.rounds > 0) send(next, Token{token.rounds - 1});
  }
};

struct Sink : Machine {
  std::uint64_t seen = 0;
  struct Taking;
  static void define(Definition<Sink>& machine) { machine.state<Taking>().on(&Sink::take); }
  void take(const Token&) { ++seen; }
};

struct Source : Machine {
  MachineId sink;
  std::uint32_t count = 0;
  struct Sending;
  static void define(Definition<Source>& machine) {
    machine.state<Sending>().entry(&Source::send_all);
  }
  void send_all() {
    for (std::uint32_t i = 0; i < count; ++i) send(sink, Token{i});
  }
};

// Seconds for a message.
double measure(Deployment& deployment) {
  const double start = seconds_now();
  deployment.start();
  if (!deployment.finish().empty()) std::abort();
  return (seconds_now() - start) / static_cast<double>(deployment.handled());
}

double ring(unsigned threads, std::uint32_t machines, std::uint32_t tokens,
            std::uint32_t messages) {
  Deployment deployment({.threads = threads, .seed = 1});
  for (std::uint32_t i = 0; i < machines; ++i) {
    deployment.create(Relay{{}, MachineId((i + 1) % machines)});
  }
  for (std::uint32_t i = 0; i < tokens; ++i) {
    deployment.send(MachineId(i * (machines / tokens)), Token{messages / tokens});
  }
  return measure(deployment);
}

double fan_in(unsigned threads) {
  Deployment deployment({.threads = threads, .seed = 1});
  const MachineId sink = deployment.create(Sink{});
  for (int i = 0; i < 16; ++i) deployment.create(Source{{}, sink, 50000});
  return measure(deployment);
}

std::string line(const char* what, double handover, const std::function<double(unsigned)>& run) {
  std::string text = std::string("| ") + what;
  for (const unsigned threads : {1U, 2U}) {
    const double seconds = best_of(5, [&] { return run(threads); });
    char cell[80];
    std::snprintf(cell, sizeof cell, " | %.2f million (%.0f)", 1e-6 / seconds, handover / seconds);
    text += cell;
  }
  return text + " |\n";
}

}  // namespace

int main(int, char** arguments) {
  const double handover = handover_seconds();
  std::string text =
      "Messages a second of deployed machines (bench/deploy), and in brackets how many in the time "
      "of "
      "one hand-over between two kernel threads.\n\n| system | 1 thread | 2 threads "
      "|\n|---|---|---|\n";
  text += line("ring of 100 machines, 1 token", handover,
               [](unsigned threads) { return ring(threads, 100, 1, 400000); });
  text += line("ring of 1000 machines, 100 tokens", handover,
               [](unsigned threads) { return ring(threads, 1000, 100, 1000000); });
  text += line("16 senders to one machine", handover, fan_in);
  text += "\n" + machine() + "\n";
  std::printf("%s", text.c_str());
  if (arguments[1] != nullptr) write_section(arguments[1], "deployment", text);
}
