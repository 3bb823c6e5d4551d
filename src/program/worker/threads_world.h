// The world of threads, as the search sees it: executions of the program under test in this
// process, each from memory that was put back, or each in a fork of its own.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/trace_hash.h"
#include "search/control.h"
#include "search/world.h"
#include "threads/sharing.h"
#include "worker/livelock_probe.h"
#include "worker/passed_findings.h"
#include "worker/worker.h"

namespace ricercar::inline worker {

class ThreadsWorld final : public World {
 public:
  ThreadsWorld(Control& control, const Subject& program);

  std::unique_ptr<Strategy> new_strategy() override;
  bool shares_strategy() const override { return true; }
  void serve(Strategy& strategy) override;
  void begin_search() override;
  void end_search() override;

  bool restore() override;
  ExecutionEnd run(Strategy& strategy) override;
  std::vector<Step> left() const override;
  std::string error() const override;
  std::string explain(const std::exception& error) const override;
  void teach(Strategy& strategy, Trace left) override;
  Change learned() override;
  std::vector<Finding> findings() override;
  bool leaves_out(const Outcome& finding) override { return findings_.is_left_out(finding); }
  std::uint64_t trace_hash() override;
  std::unique_ptr<Strategy> probe() override;
  Next in_child(const std::function<Next()>& work) override;
  std::optional<LostExecution> lost() override;

 private:
  // What a process leaves to its successor, in the search's memory.
  struct State {
    std::unique_ptr<CallContexts> contexts;  // of findings that may be suppressed
    WordSet shared_memory;                   // Points::shared: what is known to be
    bool key_points = false;                 // see threads/keys.h
  };

  State& state() { return *static_cast<State*>(control_.world); }
  CallContexts* contexts();
  ExecutionEnd end_of(const Outcome& outcome);
  bool learn_points();
  bool saw_another_world();
  Finding finding(const Outcome& outcome, Trace trace, std::uint64_t passed) const;
  bool is_long(Trace trace);
  bool may_be_a_circle(Trace trace);
  static void become_child(long parent);
  Next after_child(int status);

  Control& control_;
  const Subject& program_;
  SearchFindings findings_;
  CallContexts* wanted_contexts_ = nullptr;     // by the strategy
  bool has_rest_ = false;                       // the strategy wants to know what was left
  const Outcome* outcome_ = nullptr;            // of the last execution
  std::uint64_t shortest_ = ~std::uint64_t{0};  // steps of the shortest execution so far
  std::uint64_t looked_at_ = 0;                 // steps in which a circle was looked for
  std::uint64_t probes_ = 0;
  CircleFinder circles_;
  TraceHash hash_;
  std::vector<AddressRange> functions_;  // that priorities name
  std::vector<AddressRange> variables_;
  std::vector<ContextId> left_contexts_;
};

}  // namespace ricercar::inline worker
