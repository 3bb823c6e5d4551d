// The world of machines: runs one execution of a system, asking a strategy at every choice point,
// and puts states aside for strategies that come back to them.
//
// One object for each kernel thread that searches; the cells that its states are made of may be
// shared with others (detail::counts_atomically).
#pragma once

#include <ricercar/machine.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "machines/cell_table.h"
#include "machines/known_handlers.h"
#include "model/machine_story.h"
#include "model/state.h"
#include "strategy/strategy.h"

namespace ricercar::machines {

// Who wants to know what happens, for the report of a bug. Called in the order of happening.
class Story {
 public:
  // The texts of the act last as long as the call.
  virtual void tell(const RecordedAct& act) = 0;
  // What a machine has become with that; the same may be told again.
  virtual void becomes(const RecordedCondition& condition) = 0;

 protected:
  ~Story() = default;
};

struct Decision {
  std::uint16_t choice = 0;  // see model/schedule.h
  std::uint8_t check = 0;
};

// A decision of an execution, linked to the one before it. Shared by all states behind it.
struct Decided : detail::Counted, detail::Pooled {
  detail::Reference<const Decided> before;
  Decision decision;

  static void destroy(const Decided* last);
};
using History = detail::Reference<const Decided>;

// A state of the system.
struct Snapshot final : SavedState, detail::Pooled {
  KeptCells cells;  // by the number of the machine; null: not created yet
  KeptCells monitors;
  Hash sum;  // of the cells
  TaskId running = no_task;
  std::uint64_t enabled = 0;  // the machines 0 to 63 that can go on, as bits
  std::uint64_t steps = 0;    // of the execution that came here
  History history;

  std::size_t bytes() const override;
  void prefetch(std::uint32_t part, TaskId task) const override;
};

// What a search starts from: the result of the set-up.
struct InitialSystem {
  Snapshot start;
  std::vector<std::vector<std::uint32_t>> symmetric;  // groups of interchangeable machines
  bool has_hot_states = false;
};

// The least hash under all renamings of the interchangeable machines.
Fingerprint symmetric_fingerprint(const std::vector<std::vector<std::uint32_t>>& groups,
                                  std::span<Cell* const> cells, std::span<Cell* const> monitors);

// Runs the set-up. Throws UsageError with a sentence for the user.
InitialSystem make_system(const SetUp& set_up);

class World final : public StateKeeper {
 public:
  World(const InitialSystem& system, std::uint64_t max_steps);

  // From now on handlers that have run before need not run again (known_handlers.h), unless a story
  // is told.
  void remember_handlers() { known_ = std::make_unique<KnownHandlers>(); }
  // Runs one execution to its end, from where the strategy goes back to or from the start. Throws
  // UsageError for a mistake in the program that is no bug of the protocol.
  const Outcome& run(Strategy& strategy);

  Trace trace() const { return trace_; }  // behind the origin
  const Outcome& outcome() const { return outcome_; }
  std::uint64_t transitions() const { return transitions_; }  // behind the origin
  bool reached_step_limit() const { return reached_limit_; }
  bool was_cut() const { return cut_; }
  const std::string& strategy_error() const { return strategy_error_; }
  std::uint32_t task_count() const { return static_cast<std::uint32_t>(cells_.size()); }
  // What everybody who is left would do next; of use to a strategy that reorders steps.
  std::vector<Step> left() const;
  // Looked at now and then: true ends the execution where it is. Not owned.
  void watch(const std::atomic<bool>& stop) { stop_ = &stop; }
  bool was_stopped() const { return stopped_; }
  // Goes up while the world makes progress.
  const std::atomic<std::uint64_t>& progress() const { return progress_; }
  // All decisions since the start.
  void decisions(std::vector<std::uint16_t>& choices, std::vector<std::uint8_t>& checks) const;
  // A fair cycle behind a hot state: its length in steps; 0: there is none.
  std::uint64_t cycle() const { return cycle_; }

  void tell(Story* story) { story_ = story; }  // not owned
  std::string name_of(std::uint32_t machine) const;
  // What every machine and timer is and has. The texts last as long as the call.
  void show_ending(const std::function<void(const RecordedMachine&)>& show) const;

  std::unique_ptr<SavedState> save() override;

 private:
  friend class Activation;
  // A state since a monitor became hot.
  struct HotState {
    Fingerprint fingerprint;
    std::size_t steps;  // before it, in the trace
  };
  // What is to be known of a handler that has run.
  struct HandlerRun {
    struct Choice {
      std::uint32_t options;
      std::uint32_t chosen;
    };
    std::vector<Choice> choices;
    bool can_be_known;
  };

  void restore(const Snapshot& from);
  bool visit();
  std::uint32_t ask(const ChoicePoint& point);
  TaskId pick();
  void step(TaskId task);
  void run_machine(std::uint32_t number);
  bool run_next_handler(std::uint32_t number);
  void tell_taken(std::uint32_t number, const Cell& cell, const Event& event) const;
  void tell(ActKind kind, std::uint32_t number, const Effect& effect) const;
  void tell_condition(std::uint32_t number) const;
  void run_handler(std::uint32_t number, Cell& cell, const Event& event);
  HandlerRun run_unknown_handler(std::uint32_t number, Cell& cell, const Event& event,
                                 std::span<const Told> chosen);
  void end_of_halting_handler(std::uint32_t number, Cell& cell);
  void remember_handler(Hash key, Cell& cell, const HandlerRun& run);
  bool recall_handler(std::uint32_t number, Cell& cell, const KnownHandler& known);
  bool find_timers(std::uint32_t number, detail::Reference<EffectList>& effects) const;
  std::uint32_t decide_value(std::uint32_t number, std::uint32_t n);
  bool perform(std::uint32_t number, const Effect& effect);
  void enqueue(std::uint32_t target, const Event& event);
  void fire(std::uint32_t timer);
  void crash(std::uint32_t by, std::uint32_t machine);
  void forget(std::uint32_t machine, Cell& cell);
  void stop_timers_of(std::uint32_t by, std::uint32_t machine);
  void go_back_to_last_effect(std::uint32_t machine, Cell& cell);
  void restart(std::uint32_t machine);
  void tell_monitors(const Event& event, bool announced);
  void tell_monitor(std::uint32_t monitor, const Event& event);
  void run_monitor(Cell& cell, const Event& event);
  void update();
  void end_quietly();
  void look_for_cycle();
  std::size_t first_like(const Fingerprint& state);
  void forget_hot_states();
  void serve(std::size_t first_step);
  std::size_t heat_up();
  void fail_for_ever(std::size_t from, std::size_t steps);
  void fail(OutcomeKind kind, std::string message, TaskId task);

  Cell& own(std::uint32_t number);
  Cell& own_monitor(std::uint32_t number);
  std::uint32_t reserve_slot();
  std::uint32_t timer_slot(std::uint32_t owner, const detail::EventType& event);
  // Those that there are; none: the number of cells.
  std::uint32_t find_timer(std::uint32_t owner, std::uint32_t event) const;
  Step& note(OperationKind kind, std::uint32_t task, std::uint64_t object, std::uint64_t value);
  void note_to(OperationKind kind, std::uint32_t task, std::uint32_t target, std::uint64_t value);
  void note_halt(std::uint32_t number);
  void note_life(OperationKind kind, std::uint32_t task, std::uint32_t target);
  void remember_decision(const Step& step);
  void extend_history();
  Fingerprint fingerprint() const;
  std::string hot_monitor() const;
  // The first 64 that have been hot for so many steps and more, as bits.
  std::uint64_t hot_monitors(std::size_t steps) const;

  const InitialSystem& system_;
  const std::uint64_t max_steps_;
  std::unique_ptr<KnownHandlers> known_;  // null: nothing is remembered
  std::vector<Told> chosen_;              // for the handler that is looked for
  bool hashes_ = false;
  Strategy* strategy_ = nullptr;
  KnowsStates* states_ = nullptr;  // the strategy, if it does
  bool shows_operations_ = true;   // to the strategy
  Story* story_ = nullptr;

  CellTable cells_;
  CellTable monitors_;
  Hash sum_;
  TaskSet enabled_;
  std::vector<Operation> pending_;  // for strategies that want to know
  TaskId running_ = no_task;
  History history_;  // without what is in `decided_`
  std::vector<Decision> decided_;
  bool keeps_history_ = false;
  std::uint64_t steps_ = 0;  // since the start

  std::vector<Step> trace_;
  std::uint64_t transitions_ = 0;
  std::vector<std::uint32_t> changed_;  // cells that this step has changed
  std::vector<std::uint32_t> changed_monitors_;
  std::uint16_t options_ = 0;  // of the decision that the next step belongs to
  bool preempts_ = false;

  Outcome outcome_;
  bool over_ = false;
  bool cut_ = false;
  bool reached_limit_ = false;
  bool stopped_ = false;
  const std::atomic<bool>* stop_ = nullptr;
  std::atomic<std::uint64_t> progress_ = 0;
  std::string strategy_error_;
  std::vector<HotState> hot_;
  std::unordered_map<std::uint64_t, std::size_t>
      hot_index_;  // the first, by fingerprint.low, of many
  std::vector<std::size_t>
      served_;  // by task: the hot states up to the last where it ran or could not
  std::vector<std::size_t> hot_since_;  // by monitor
  std::uint64_t cycle_ = 0;
};

}  // namespace ricercar::machines
