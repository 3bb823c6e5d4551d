// The world of threads, as the search sees it: executions of the program under test in this
// process, each from memory that was put back, or each in a fork of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "model/trace_hash.h"
#include "search/control.h"
#include "search/decisions.h"
#include "search/world.h"
#include "strategy/strategy.h"
#include "threads/sharing.h"
#include "worker/finding_stacks.h"
#include "worker/passed_findings.h"
#include "worker/worker.h"

namespace ricercar::inline worker {

// Where threads of an execution come round to where they were.
struct Circle {
  Decisions before;  // what leads to it
  Decisions around;
  std::uint64_t steps = 0;  // of one round
};

// Finds the places where at least two tasks have come round to where they were. Each circle is
// found once, whatever leads to it.
class CircleFinder {
 public:
  std::optional<Circle> find(Trace trace);
  // All that are not known, in the order in which they would be found. They do not become known.
  std::vector<std::uint64_t> all(Trace trace);
  // The circle of this number.
  std::optional<Circle> find(Trace trace, std::uint64_t wanted);
  void know(const std::vector<std::uint64_t>& circles) {
    known_ = {circles.begin(), circles.end()};
  }

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(known_);
  }

 private:
  template <typename Visit>
  void for_each_round(Trace trace, Visit visit);

  std::unordered_set<std::uint64_t> known_;
  std::vector<std::uint32_t> steps_;  // of the trace, in short
};

// Looks for a livelock that a strategy came close to: asks whether the threads of a circle could go
// round it for ever. It runs the execution again up to there and goes on taking the same decisions
// in a circle. If that leads to the step limit, and no thread that could run is left out in the
// circle, the schedule is fair and the threads make no progress.
class LivelockProbe : public Strategy {
 public:
  explicit LivelockProbe(Circle circle) : circle_(std::move(circle)) {}

  bool begin() override { return true; }
  std::size_t choose(const ChoicePoint& point) override;
  void end(Trace, const Outcome&) override {}
  Coverage coverage() const override { return {}; }

 private:
  void round_begins();
  std::uint16_t next_decision();

  const Circle circle_;
  std::uint64_t made_ = 0;
  TaskSet could_run_;  // in this round
  TaskSet ran_;
};

// The libraries that a program loads while it runs, for the tool: it looks whether they are
// instrumented. Paths, a line each, in Control::late_libraries.
// What is loaded when it begins belongs to the program's start; the rest is noted when an execution
// has ended.
void late_libraries_begin();
void note_late_libraries(Control& control);

class ThreadsWorld final : public World {
 public:
  ThreadsWorld(Control& control, const Subject& program);

  std::unique_ptr<Strategy> new_strategy() override;
  bool shares_strategy() const override { return true; }
  void serve(Strategy& strategy) override;
  void begin_search() override;
  void end_search() override;
  void begin_piece(bool is_first) override;
  std::string knowledge() override;
  void adopt(const std::string& knowledge) override;

  bool restore() override;
  ExecutionEnd run(Strategy& strategy) override;
  std::vector<Step> left() const override;
  std::string error() const override;
  std::string explain(const std::exception& error) const override;
  void teach(Strategy& strategy, Trace left) override;
  Change learned() override;
  std::vector<Finding> findings() override;
  std::vector<std::uint64_t> places(const Finding& finding) override;
  bool leaves_out(const Outcome& finding) override { return findings_.is_left_out(finding); }
  std::uint64_t trace_hash() override;
  void look_for(ProbeTask task) override;
  ProbeFacts circles() override;
  std::unique_ptr<Strategy> probe() override;
  Next in_child(const std::function<Next()>& work) override;
  std::optional<LostExecution> lost() override;
  bool can_be_kept() const override { return true; }
  void save(KeptOut& out) const override;
  void load(KeptIn& in) override;

 private:
  // What a process leaves to its successor, in the search's memory.
  struct State {
    std::unique_ptr<CallContexts> contexts;  // of findings that may be suppressed
    WordSet shared_memory;                   // Points::shared and racy: what is known to be
    bool key_points = false;                 // see threads/keys.h
    bool knows_points = false;               // of the execution whose variants are searched
    UsersPlaces places;                      // of failures, in such a search
  };

  State& state() { return *static_cast<State*>(control_.world); }
  CallContexts* contexts();
  ExecutionEnd end_of(const Outcome& outcome);
  bool learn_points();
  bool is_among_variants() const { return control_.request.variants.is_asked_for(); }
  void set_points_of_variants();
  template <typename Archive>
  void pass_state(Archive& archive);
  Finding finding(const Outcome& outcome, Trace trace, std::uint64_t passed) const;
  std::vector<std::uint64_t> places_of_round(Trace round);
  bool is_long(Trace trace);
  bool may_be_a_circle(Trace trace);
  Trace last_trace() const;
  static void become_child(long parent);
  Next after_child(int status);

  Control& control_;
  const Subject& program_;
  SearchFindings findings_;
  VariantFindings variant_findings_;
  CallContexts* wanted_contexts_ = nullptr;  // by the strategy
  bool has_rest_ = false;                    // the strategy wants to know what was left
  const Outcome* outcome_ = nullptr;         // of the last execution
  ProbeBudget budget_;                       // of this piece of the search
  CircleFinder circles_;                     // likewise
  ProbeTask looks_for_;
  TraceHash hash_;
  std::vector<AddressRange> functions_;  // that priorities name
  std::vector<AddressRange> variables_;
  std::vector<ContextId> left_contexts_;
};

}  // namespace ricercar::inline worker
