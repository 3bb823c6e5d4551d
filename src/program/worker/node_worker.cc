#include "worker/node_worker.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <cstdio>
#include <optional>
#include <span>
#include <utility>

#include "base/random.h"
#include "base/text.h"
#include "cluster/hand_over.h"
#include "cluster/memory.h"
#include "disk/files.h"
#include "disk/watch.h"
#include "search/found_bugs.h"
#include "threads/blocking.h"
#include "threads/descriptor.h"
#include "threads/execution.h"
#include "threads/memory/heap.h"
#include "threads/node_blocks.h"
#include "threads/node_files.h"
#include "threads/node_sockets.h"
#include "threads/process.h"
#include "threads/program_state.h"
#include "threads/real.h"
#include "threads/timer_descriptor.h"
#include "worker/execution_setup.h"
#include "worker/watchdog.h"

// How often the node has got the turn from another one, and when it stops: gdb reads and writes
// these (tool/supervisor/gdb_script.cc), also in a library without symbols.
extern "C" {
__attribute__((visibility("default"))) std::uint64_t ricercar_hand_overs = 0;
__attribute__((visibility("default"))) std::uint64_t ricercar_wanted_hand_over = 0;
}

namespace ricercar::inline worker {
namespace {

NodeSlot* own_slot = nullptr;
std::uint32_t number_in_cluster = 0;

NodeSlot& slot() { return *own_slot; }

// The coordinator has foreseen that this task can go on, and has chosen it.
std::optional<TaskId> foreseen_choice;
TaskId last_chosen = no_task;

void stop_in_debugger() {
  slot().stops = false;
  system_call(SYS_tgkill, system_call(SYS_getpid), system_call(SYS_gettid), SIGTRAP);
}

// The coordinator kills its nodes before it ends, so there is no other way to wait for.
NodeOrder post_and_wait(NodePost post) {
  slot().post = post;
  slot().clock = execution.clock.now();
  slot().tasks = execution.tasks.count();
  watchdog_pause(true);
  hand_over(slot().turn, 0);
  await_turn(slot().turn, 1);
  watchdog_pause(false);
  VirtualClock::set_skew(slot().skew);
  blocks_of_node = cluster_memory().notes_blocks ? &cluster_memory().blocks : nullptr;
  if (slot().order == NodeOrder::leave) system_call(SYS_exit_group, worker_done);
  // Something has arrived at which it will not look any more; its clock has moved.
  const bool is_late = slot().looks_first && execution.clock.now() < slot().clock;
  if (slot().order == NodeOrder::cut && is_late) execution.clock.advance_to(slot().clock);
  const bool is_handed_over =
      std::exchange(ricercar_hand_overs, slot().hand_overs) < slot().hand_overs;
  const bool is_wanted = is_handed_over && ricercar_hand_overs == ricercar_wanted_hand_over;
  if (slot().stops || is_wanted) stop_in_debugger();
  return slot().order;
}

// What the task would do next.
void show_task(TaskId task, const Operation& operation) {
  slot().pending[index(task)] = operation;
  const char* call = program_state.blocked_calls.last_call(task);
  copy_text(slot().calls[index(task)], call != nullptr ? call : "");
}

// Others may go on before it: they can see it, now or later, or it only lets time pass.
bool is_seen_outside(OperationKind kind) {
  return kind == OperationKind::blocking_call || kind == OperationKind::sleep ||
         kind == OperationKind::yield;
}

// What has arrived was sent before now: it is `earliest`, or later.
void look_around(std::uint64_t earliest) {
  if (execution.clock.now() < earliest) {
    execution.clock.advance_to(earliest);
    time_has_moved(execution.clock.now());
  }
  program_state.sockets.look();
  execution.turns.changed_from_outside();
}

// It has passed elsewhere, while this node could not go on. Nothing of its own is due before.
void let_time_pass() {
  const bool is_before_all = slot().due.empty() || slot().earliest <= slot().deadline;
  if (is_before_all && execution.clock.now() < slot().earliest) {
    execution.clock.advance_to(slot().earliest);
  }
}

// --- What an arrival would let go on ---

std::uint32_t live_tasks() {
  std::uint32_t count = 0;
  execution.tasks.for_each_live([&](const Task&) { ++count; });
  return count;
}

// Where all wait to read from a socket, without a time limit, it is who waits for that one.
void foresee_while_idle() {
  const std::span<const BlockedCalls::Waiting> all = program_state.blocked_calls.all();
  slot().awaited_count = 0;
  slot().last = last_chosen;
  slot().foresees = all.size() <= NodeSlot::most_awaited && all.size() == live_tasks();
  if (!slot().foresees) return;
  for (const BlockedCalls::Waiting& each : all) {
    const EndpointId endpoint = awaited_endpoint(*each.call);
    if (endpoint == no_endpoint) slot().foresees = false;
    slot().awaited[slot().awaited_count++] = {each.task, endpoint};
    show_task(each.task, execution.tasks.pending(each.task));
  }
}

// Decides nothing itself: asks the coordinator wherever the node meets the others.
class RemoteStrategy final : public StrategyWith<SeesEveryPoint> {
 public:
  explicit RemoteStrategy(Points points) : asks_everywhere_(points != Points::message) {}

  bool begin() override {
    last_ = last_chosen = no_task;
    alone_ = 0;
    return true;
  }

  std::size_t choose(const ChoicePoint& point) override {
    if (point.kind == ChoiceKind::value) return choose_value(point);
    const std::size_t chosen = choose_task(point);
    if (chosen < point.options.size()) {
      last_chosen = point.options.task(static_cast<std::uint32_t>(chosen));
    }
    return chosen;
  }

  void end(Trace, const Outcome&) override {}
  Coverage coverage() const override { return {}; }

 private:
  // So many steps inside of its node a thread may make before the others go first: it may wait for
  // one of them in a loop.
  static constexpr std::uint32_t longest_alone = 1000;

  std::size_t choose_task(const ChoicePoint& point) {
    if (!asks_everywhere_ && !has_gone_on_for_long(point) && goes_on(point)) {
      return point.options.position(point.running);
    }
    const bool is_left_out = alone_ > longest_alone && point.options.size() > 1;
    const TaskId left_out = is_left_out ? point.running : no_task;
    const std::optional<TaskId> foreseen = std::exchange(foreseen_choice, std::nullopt);
    if (foreseen) {
      const bool is_right = point.options.size() == 1 && point.options.task(0) == *foreseen &&
                            point.running == slot().running;
      RICERCAR_CHECK(is_right);
    }
    slot().running = point.running;
    slot().enabled.clear();
    slot().due.clear();
    point.options.for_each([left_out](const Option& option, std::uint32_t) {
      if (option.task == left_out) return;
      slot().enabled.insert(option.task);
      if (!execution.turns.is_ready(option.task)) {
        slot().due.insert(option.task);
        slot().deadline = execution.tasks[option.task].deadline;
      }
      show_task(option.task, *option.operation);
    });
    slot().foresees = false;
    const std::size_t chosen =
        answer(foreseen ? NodeOrder::choose : post_and_wait(NodePost::choice));
    if (chosen == cut || chosen == again) return chosen;
    alone_ = 0;
    const bool is_behind = left_out != no_task && chosen >= point.options.position(left_out);
    return is_behind ? chosen + 1 : chosen;
  }

  bool has_gone_on_for_long(const ChoicePoint& point) {
    if (point.running != last_) alone_ = 0;
    last_ = point.running;
    if (alone_ <= longest_alone) ++alone_;
    return point.running != no_task && alone_ > longest_alone;
  }

  static bool goes_on(const ChoicePoint& point) {
    if (point.running == no_task) return false;
    // One that waits with a time limit could go on because that passes: not for the node to say.
    if (!execution.turns.is_ready(point.running)) return false;
    const Option next = point.options[point.options.position(point.running)];
    return !is_seen_outside(next.operation->kind);
  }

  static std::size_t choose_value(const ChoicePoint& point) {
    const Option first = point.options[0];
    slot().foresees = false;
    slot().alternatives = point.options.size();
    slot().chooser = first.task;
    slot().pending[index(first.task)] = *first.operation;
    return answer(post_and_wait(NodePost::value));
  }

  static std::size_t answer(NodeOrder order) {
    if (order == NodeOrder::cut) return cut;
    if (order == NodeOrder::choose) {
      let_time_pass();
      return slot().answer;
    }
    look_around(slot().earliest);
    refresh_blocked_calls();
    return again;
  }

  const bool asks_everywhere_;
  TaskId last_ = no_task;    // who has made the last steps
  std::uint32_t alone_ = 0;  // and how many, without a question
};

// All tasks wait for something outside of the node.
void wait_for_others() {
  program_state.sockets.look_for_closed();  // also past the hooks
  foresee_while_idle();
  const NodeOrder order = post_and_wait(NodePost::idle);
  if (order == NodeOrder::cut) {
    execution.end.stop();
    execution.finish();
  }
  if (order == NodeOrder::choose) foreseen_choice = slot().enabled.first();
  slot().looks_first = false;
  // Its clock is where the coordinator has put it when something arrived.
  look_around(order == NodeOrder::choose ? slot().clock : slot().earliest);
}

// A node that begins again has not gone back in time.
struct Start {
  const Subject& program;
  std::uint64_t clock;
};

void* begin_at_its_time(void* argument) {
  const auto& start = *static_cast<const Start*>(argument);
  // No two nodes draw the same random numbers, and neither does one that begins again.
  const std::uint64_t own = mix64(1 + number_in_cluster) ^ mix64(slot().lives << 8);
  program_state.random.begin_execution(execution.options().seed ^ own);
  execution.clock.advance_to(start.clock);
  return start.program.body(start.program.argument);
}

// A program that does what memory alone cannot undo needs a new process each time.
bool is_spent(const Outcome& outcome) {
  return breaks_process(outcome.kind) || current_control()->forks;
}

// Of a race both places, in the order in which the message speaks of them.
std::string with_places(const Outcome& outcome) {
  std::string text = outcome.message + " at " + place_of(outcome.site);
  if (outcome.other_site != 0) text += " and at " + place_of(outcome.other_site);
  return text;
}

void note_end(const Outcome& outcome) {
  const EndOfExecution& end = execution.end;
  slot().outcome = as_record(outcome);
  const bool says_where = outcome.kind == OutcomeKind::assertion;
  if (outcome.is_bug() && outcome.site != 0 && !says_where) {
    copy_text(slot().outcome.message, with_places(outcome));
  }
  release_file_locks();
  slot().was_limited = end.reached_step_limit();
  slot().left_damage = is_spent(outcome);
  if (!end.was_cut() && !end.was_stopped()) program_state.sockets.close_all();
  leave_kernel_meetings();
}

// On real threads an execution does not come back to where it was started, and there is one only.
void end_on_threads() {
  note_end(execution.end.outcome());
  current_control()->execution_open = false;
  for (;;) post_and_wait(NodePost::ended);
}

void configure(Control& control) {
  ExecutionOptions options = options_of(control.request, true);
  options.is_node = true;
  options.open_trace = &slot().open;
  execution.configure(options);
  wait_for_outside = wait_for_others;
  slot().process = static_cast<std::int32_t>(system_call(SYS_getpid));
  if (control.request.backend == Backend::threads) {
    heap_locking = true;
    execution.carriers.finish_hook = end_on_threads;
  }
  begin_watching(control);
}

// True: there is none, or it is where the coordinator has it.
bool map_undo_file(const char* path) {
  if (path[0] == 0) return true;
  const OpenFile file(AT_FDCWD, path, O_RDWR);
  return file.is_open() && map_memory(&disk_memory(), disk_size, PROT_READ | PROT_WRITE,
                                      MAP_SHARED | MAP_FIXED, file.number()) != nullptr;
}

}  // namespace

void join_cluster() {
  const char* place = getenv(node_variable);
  if (place == nullptr) return;
  int descriptor = -1;
  unsigned number = 0;
  if (std::sscanf(place, "%d:%u", &descriptor, &number) != 2 || number >= max_nodes) return;
  unsetenv(node_variable);
  const long got = system_call(SYS_mmap, static_cast<long>(cluster_address),
                               static_cast<long>(cluster_size), PROT_READ | PROT_WRITE,
                               MAP_SHARED | MAP_FIXED_NOREPLACE | MAP_NORESERVE, descriptor, 0);
  if (static_cast<std::uint64_t>(got) != cluster_address) return;
  system_call(SYS_close, descriptor);
  ClusterMemory& memory = cluster_memory();
  if (memory.magic != cluster_magic || !map_undo_file(memory.undo_file)) return;
  own_slot = &memory.nodes[number];
  become_node(memory, number);
  number_in_cluster = number;
}

void run_node(Control& control, const Subject& program) {
  set_current_control(&control);
  if (own_slot == nullptr) stop_search_now("the memory of the cluster cannot be mapped");
  control.status = Status::running;
  configure(control);
  keep_changes(disk_memory().log);
  watch_changes_of_node();
  RemoteStrategy strategy(control.request.points);
  NodePost post = NodePost::ready;
  for (;;) {
    const NodeOrder order = post_and_wait(post);
    post = NodePost::ready;
    if (order != NodeOrder::run) continue;
    program.restart();
    forget_faults_of_node();
    slot().foresees = slot().looks_first = false;
    foreseen_choice.reset();
    control.execution_open = true;
    strategy.begin();
    const Start start{program, slot().clock};
    const Subject from_then{begin_at_its_time, const_cast<Start*>(&start), program.restart, true};
    note_end(run_execution(from_then, strategy));
    control.execution_open = false;
    post = NodePost::ended;
  }
}

}  // namespace ricercar::inline worker
