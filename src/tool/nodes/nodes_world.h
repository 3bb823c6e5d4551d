// The world of nodes, as the search sees it: several processes under one schedule. A thread of a
// node is a task, and so is every link of the network, whose step is that its next message arrives.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "disk/crash.h"
#include "model/machine_story.h"
#include "model/task_set.h"
#include "model/trace_hash.h"
#include "nodes/block_numbers.h"
#include "nodes/cluster.h"
#include "nodes/commuting_view.h"
#include "nodes/named_values.h"
#include "nodes/properties.h"
#include "nodes/task_names.h"
#include "search/control.h"
#include "search/kept_story.h"
#include "search/world.h"

namespace ricercar::inline nodes {

class NodesWorld final : public World {
 public:
  // `is_over` is asked now and then: true ends an execution in the middle.
  NodesWorld(Control& control, Cluster& cluster, Properties& properties,
             std::function<bool()> is_over);

  std::unique_ptr<Strategy> new_strategy() override;
  void end_search() override;
  void begin_piece(bool is_first) override;
  void begin_telling() override;
  void end_telling() override;
  bool restore() override;
  ExecutionEnd run(Strategy& strategy) override;
  std::vector<Step> left() const override { return undone_; }
  std::uint64_t trace_hash() override;
  std::string error() const override { return error_; }
  std::vector<Finding> findings() override { return {{outcome_, trace_, {}}}; }
  bool leaves_out(const Outcome& finding) override;
  Change learned() override;

  // From now on what happens is written down.
  void tell() { records_ = true; }
  void record(Recording& recording) const override;
  bool can_be_kept() const override { return true; }
  void save(KeptOut& out) const override;
  void load(KeptIn& in) override;

 private:
  struct Node {
    NodePost post = NodePost::nothing;
    bool has_crashed = false;
    bool has_waited = false;         // for something from outside
    bool was_ready = false;          // clients could begin; while a reduction is shown that
    std::uint64_t history = 0;       // a number for what it has done and got, in its order
    std::uint64_t seen = 0;          // steps of its own trace
    std::uint64_t delivery = 0;      // the last action that has brought it something; 0: none
    std::vector<TaskId> tasks;       // by its own number; no_task: not seen yet
    std::vector<std::string> calls;  // likewise: what it has called; while this is recorded
    // While this is recorded: its steps that were told, with the numbers of the acts; the last act;
    // and the act that lets it go on, without a message.
    std::vector<std::pair<std::uint64_t, std::uint64_t>> told = {};
    std::uint64_t last_act = 0;
    std::uint64_t let_go_by = 0;
  };
  // What a task stands for: a thread of a node, a link, or what lets things go wrong.
  struct Actor {
    std::uint32_t node = no_node;
    TaskId own = no_task;  // in its node
    LinkId link = no_link;

    bool is_injector() const { return node == no_node && link == no_link; }
    bool operator==(const Actor&) const = default;
  };
  struct Fault {
    enum What : std::uint8_t { begins, ends, all_end };
    FaultKind kind;
    What what = begins;
    std::uint32_t target = no_node;  // a link, a node; see nodes_world_faults.cc
    TaskId task = no_task;           // of the node, if it is about a call
    CallFault call = call_is_fine;   // likewise

    bool is_like(const Fault& other) const { return kind == other.kind && what == other.what; }
    bool is_repair() const { return what != begins || kind == FaultKind::restart; }
  };
  // In words: "waits", "has ended".
  std::string ending(std::uint32_t node) const;

  enum class Stop : std::uint8_t { none, ended, cut, limit, over, failed };

  // What a slot has done besides, of what a reduction is shown.
  struct SlotFacts {
    bool has_reported = false;
    bool has_used_files = false;
    bool has_ended = false;  // one that the execution waits for
  };
  void show_what_is_wanted(const Strategy& strategy, const std::string& name);
  void show_to_reduction(const std::string& strategy);
  void show_to_states(const std::string& strategy, const KnowsStates& states);
  void show_end_of_slot();
  void show_everything();
  TaskId seen_as(TaskId task);
  // The options of a point by the names of their tasks, and where they are among its options.
  struct NamedOptions {
    TaskSet tasks;
    std::vector<std::pair<TaskId, std::uint32_t>> numbers;
  };
  NamedOptions named_options(const ChoicePoint& point);
  std::size_t ask_reduction(Strategy& strategy, const ChoicePoint& point);
  std::size_t ask_for_value(Strategy& strategy, const ChoicePoint& point);
  std::size_t ask_for_task(Strategy& strategy, const ChoicePoint& point);
  void show_slot(TaskId chosen, std::uint32_t options);
  void show_who_is_kept();
  std::uint32_t node_at(TaskId task) const;
  void show_arrival(TaskId task, const Link& link, std::uint32_t options);
  void show_touched();
  void show_ready_nodes();
  void show_beginning(std::uint32_t client);
  void deliver_the_rest(Strategy& strategy);
  void show_end();
  Step left_by(TaskId task);
  void refuse_what_sees_inside();

  template <typename Archive>
  void pass_state(Archive& archive);
  std::string not_modelled() const;
  void find_common();
  bool show_state(TaskId now);
  void show_steps();
  void show_message(LinkName link);
  TaskId choose_by_delays(Strategy& strategy, TaskId now);
  bool happens_now(Strategy& strategy, TaskId task);
  std::size_t ask_by_name(Strategy& strategy, const ChoicePoint& point);

  void begin_execution();
  void run_steps(Strategy& strategy);
  bool start_all(Strategy& strategy, bool clients);
  void start(Strategy& strategy, std::uint32_t node);
  bool have_clients_come(Strategy& strategy);
  std::uint64_t draw_delay_of_clients(Strategy& strategy);
  bool are_nodes_ready();
  bool is_ready(std::uint32_t node);
  bool is_gone(std::uint32_t node) const { return nodes_[node].post == NodePost::ended; }
  bool step(Strategy& strategy);
  bool collect_options();
  void collect_node(std::uint32_t node);
  void note_call(std::uint32_t node, TaskId own);
  bool is_due(TaskId task);
  void hold_back_time();
  void let_time_pass(TaskId chosen);
  void collect_link(LinkId id);
  void collect_faults();
  bool may_links_fail() const;
  std::vector<LinkId> links_by_name() const;
  void add_faults_of_link(LinkId id);
  void add_faults_of_node(std::uint32_t node);
  void add_partitions();
  void add_repairs();
  void keep_repairs_only();
  void lose_what_is_cut_off();
  FaultOption fault_option(std::uint32_t position) const;
  std::uint32_t server_count() const;
  std::uint64_t action_of(TaskId task) const;
  void name_actions();
  void take_blocks(std::uint32_t node);
  void count_blocks(std::uint32_t node, std::span<const BlockCount> blocks);
  void learn_blocks(std::uint32_t node, std::span<const BlockCount> blocks);
  void record_blocks(std::uint32_t node, KeptStory& story) const;
  void offer(const Actor& actor, const Operation& operation);
  bool draw_swarm(Strategy& strategy);
  std::size_t ask_injector(Strategy& strategy, std::size_t alternatives,
                           std::span<const std::uint32_t> targets = {},
                           std::optional<std::size_t> planned = std::nullopt);
  std::uint32_t node_of(const Fault& fault) const;
  TaskId next_in_turn() const;
  void inject(Strategy& strategy, TaskId task, std::uint32_t options);
  void happen(Strategy& strategy, const Fault& fault);
  bool tell(Strategy& strategy, std::uint32_t node, NodeOrder order, std::uint32_t answer = 0);
  bool answer_values(Strategy& strategy, std::uint32_t node);
  bool pass_on_changes(Strategy& strategy);
  bool foresees(std::uint32_t node);
  bool settle(Strategy& strategy, std::uint32_t node);
  bool note_end(std::uint32_t node);
  void perform(Strategy& strategy, TaskId chosen, std::uint32_t options, TaskId running);
  void crash(std::uint32_t node);
  void show_budgets();
  void add_faults_of_calls(std::uint32_t node);
  void fail_call(const Fault& fault);
  void tell_of_call_fault(const Fault& fault);
  void lose_unsynced(Strategy& strategy, std::uint32_t node);
  Survival choose_survival(Strategy& strategy, const Unsynced& list);
  void restart(Strategy& strategy, std::uint32_t node);
  void skew(std::uint32_t node, std::int64_t nanoseconds);
  void cut_off(Strategy& strategy, std::uint32_t target);
  void split(Strategy& strategy);
  void reconnect();
  void heal_all(Strategy& strategy);
  void demand_progress();
  void deliver(TaskId task, LinkId link, std::uint32_t options);
  void take_steps(std::uint32_t node);
  void note_meetings();
  void tell_what_was_seen();
  void note_history(std::uint32_t node, std::uint64_t hash);
  void note_history(std::uint32_t node, const Link& link, const Message& message);
  void take_reports(std::uint64_t first_step);
  void take(const Reported& report);
  void take_values(const Reported& report);
  void take_operation(const Reported& report);
  void check_properties(std::uint32_t node);
  void check_end();
  using Judgement = std::optional<Properties::Violation> (Properties::*)(ClusterView&);
  void judge(std::uint32_t node, Judgement judgement);
  void record_checks(const std::optional<Properties::Violation>& violation);
  void violate(std::uint32_t node, const Properties::Violation& violation);
  std::uint32_t node_of_last_step() const;
  Step as_seen(std::uint32_t node, Step step);
  TaskId choose_task(Strategy& strategy, TaskId now);
  TaskSet early_options(TaskId injector) const;
  std::size_t ask(Strategy& strategy, const ChoicePoint& point);
  TaskId running() const;
  bool is_finished() const;
  void leave_out_patient();
  void let_starved_go_first();
  void note_patience(TaskId task, std::size_t first_step);
  void stuck();
  void give_up_on(std::uint32_t node);
  void stop(Stop why) { stop_ = stop_ == Stop::none ? why : stop_; }
  void fail(OutcomeKind kind, std::uint32_t node, const std::string& message);
  TaskId task_of(std::uint32_t node, TaskId own);
  TaskId task_of(const Actor& actor);
  TaskId new_task(const Actor& actor);
  std::uint64_t object_of(std::uint32_t node, std::uint64_t object) const;
  // If it is written down.
  void note(ActKind kind, std::uint32_t node, const std::string& words,
            std::uint32_t target = no_machine, std::uint64_t sent_by = 0);
  void tell_of_report(const Reported& report, const std::string& values);
  void add(RecordedAct act);
  void mark_messages(std::uint32_t node, std::uint64_t act_of_others);
  std::uint64_t act_before(const Node& node, std::uint64_t step) const;
  void tell_of_step(std::uint32_t node, const Step& step);
  void tell_of_fault(const Fault& fault);
  void tell_of_fault(FaultKind kind, const Link& link);
  void tell_of_message(const Link& link, const Message& message);

  Control& control_;
  Cluster& cluster_;
  Properties& properties_;
  std::function<bool()> is_over_;
  std::vector<Node> nodes_;
  std::vector<Actor> actors_;       // by task
  std::vector<TaskPlace> places_;   // likewise
  std::vector<TaskId> link_tasks_;  // by link; no_task: not seen yet
  std::vector<Operation> pending_;  // by task
  TaskSet enabled_;
  TaskSet early_;                 // of these: time limits that pass before their time
  std::uint32_t left_early_ = 0;  // so many of them may, if the plan says how many
  // A task that looks in vain again and again lets all others go first.
  struct Patience {
    std::uint32_t in_vain = 0;  // steps, one after the other
    TaskSet others;             // that go first
  };
  std::vector<Patience> patience_;          // by task
  TaskSet could_go_on_;                     // threads that could before the last step
  std::vector<std::uint64_t> waits_since_;  // by task, of those: so many steps had been made
  bool have_clients_begun_ = false;
  std::uint64_t time_passed_ = 0;  // so often in this execution, not early
  std::optional<std::uint64_t>
      clients_come_;  // when time has passed so often; unless it is not drawn
  std::uint32_t failed_node_ = 0;
  FaultBudget left_;           // of what may go wrong
  std::vector<Fault> faults_;  // what could go wrong now, those of a kind together
  bool has_gone_wrong_ = false;
  bool is_healed_ = false;              // nothing goes wrong any more, and all take turns
  std::uint64_t healed_at_ = 0;         // so many steps had been made
  std::vector<std::uint64_t> turns_;    // by task: when it has gone on last
  const Strategy* strategy_ = nullptr;  // of this search
  LearnsBlocks* learns_ = nullptr;      // the same, if it wants to know of blocks
  BlockNumbers blocks_;
  // By node and number: how often it has run through a block; while this is recorded.
  std::vector<std::map<std::uint32_t, std::uint64_t>> block_times_;
  std::vector<std::uint64_t> actions_;  // of the options; or of what lets a node run
  NamedValues values_;
  Operations operations_;
  ClusterView view_;
  std::vector<Step> trace_;
  Outcome outcome_;
  TaskId last_ = no_task;
  Stop stop_ = Stop::none;
  std::string error_;
  TaskNames names_;
  std::optional<CommutingView> commuting_;  // if the strategy wants to know what commutes
  TaskSet could_run_;                       // before the last slot
  TaskSet kept_;                            // from going on, and have not done so since
  TaskSet just_kept_;                       // by the last slot
  bool could_go_wrong_ = false;             // something, before the slot
  bool reduces_ = false;                    // and leaves out executions for that reason
  std::vector<Operation> seen_pending_;     // by task, as it sees them
  SlotFacts slot_facts_;
  std::vector<Step> undone_;                  // as it sees it
  KnowsStates* states_ = nullptr;             // the strategy, if it does
  bool counts_delays_ = false;                // likewise
  bool notes_histories_ = false;              // of the nodes, by which executions are told apart
  TaskSet common_, rare_;                     // of the options
  std::optional<std::size_t> planned_fault_;  // which of them happens now
  std::vector<Step> shown_;                   // the trace as a search by states sees it
  std::size_t steps_shown_ = 0;               // of the trace
  TraceHash state_hash_;
  std::string not_modelled_before_;  // of a search that goes on: lines
  bool records_ = false;
  KeptStory story_;
};

}  // namespace ricercar::inline nodes
