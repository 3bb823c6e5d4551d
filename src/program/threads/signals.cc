#include "threads/signals.h"

#include <errno.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "threads/blocking.h"
#include "threads/descriptor.h"
#include "threads/memory/signal_state.h"
#include "threads/process.h"
#include "threads/real.h"
#include "threads/signal_timers.h"
#include "threads/thread.h"

namespace ricercar::inline threads {
namespace {

SignalsOnTheirWay& sent() { return program_state.signals; }

SignalMask bit(int signal) { return SignalMask{1} << (signal - 1); }

bool blocks(const Task& task, int signal) { return (task.blocked_signals & bit(signal)) != 0; }

struct sigaction action_of(int signal) {
  struct sigaction action = {};
  ::sigaction(signal, nullptr, &action);
  return action;
}

bool is_simple(const struct sigaction& action, sighandler_t handler) {
  return (action.sa_flags & SA_SIGINFO) == 0 && action.sa_handler == handler;
}

// Nothing happens when it comes.
bool is_ignored(int signal) {
  const struct sigaction action = action_of(signal);
  if (is_simple(action, SIG_IGN)) return true;
  const bool means_nothing =
      signal == SIGCHLD || signal == SIGURG || signal == SIGWINCH || signal == SIGCONT;
  return means_nothing && is_simple(action, SIG_DFL);
}

bool has_handler(int signal) {
  const struct sigaction action = action_of(signal);
  return !is_simple(action, SIG_IGN) && !is_simple(action, SIG_DFL);
}

SignalMask to_mask(const sigset_t& set) {
  SignalMask mask;
  std::memcpy(&mask, &set, sizeof mask);
  return mask;
}

SignalMask without_own_signals(SignalMask mask) {
  sigset_t set = {};
  std::memcpy(&set, &mask, sizeof mask);
  return to_mask(blockable(set)) & ~bit(SIGKILL) & ~bit(SIGSTOP);
}

bool is_of_program(const Task& task) {
  return task.state != TaskState::ended && !task.stands_for_kernel;
}

// The kernel blocks what any task blocks.
void tell_kernel() {
  SignalMask all = 0;
  for (std::uint32_t i = 0; i < execution.tasks.count(); ++i) {
    const Task& task = execution.tasks[task_id(i)];
    if (is_of_program(task)) all |= task.blocked_signals;
  }
  note_signal_mask();
  system_call(SYS_rt_sigprocmask, SIG_SETMASK, as_argument(&all), 0, sizeof all);
}

SentSignal taken(const siginfo_t& details) {
  return {details.si_signo, details.si_code, details.si_value.sival_ptr};
}

// Takes what the kernel keeps and the task blocks no longer.
void take_from_kernel(Task& self) {
  const SignalMask wanted = pending_for(self.id) & ~self.blocked_signals;
  if (wanted == 0) return;
  const timespec zero = {0, 0};
  siginfo_t details = {};
  while (system_call(SYS_rt_sigtimedwait, as_argument(&wanted), as_argument(&details),
                     as_argument(&zero), sizeof wanted) > 0) {
    if (!is_ignored(details.si_signo)) self.signals.push_back(taken(details));
  }
}

// As raise() does it, for a signal that the kernel blocks. In the same slot as the look at the
// mask.
void keep_in_kernel(const SentSignal& signal, TaskId target, std::uint64_t site) {
  execution.note(OperationKind::blocking_call, kernel_channel().object, site);
  released_through(kernel_channel());
  sent().waits_for[signal.number] = target;
  siginfo_t details = {};
  details.si_signo = signal.number;
  details.si_code = signal.code == SI_TIMER ? SI_TIMER : SI_QUEUE;
  details.si_pid = process_id();
  details.si_uid = getuid();
  details.si_value.sival_ptr = signal.value;
  system_call(SYS_rt_tgsigqueueinfo, system_call(SYS_getpid), system_call(SYS_gettid),
              signal.number, as_argument(&details));
  channel_changed();
}

// How the task would be met by a signal now.
SignalArrival arrival_at(const Task& target) {
  const bool is_ready = execution.turns.is_ready(target.id);
  switch (execution.tasks.pending(target.id).kind) {
    case OperationKind::lock:
    case OperationKind::timed_lock:
    case OperationKind::read_lock:
    case OperationKind::timed_read_lock:
    case OperationKind::write_lock:
    case OperationKind::timed_write_lock:
    case OperationKind::wake:
    case OperationKind::semaphore_wait:
    case OperationKind::semaphore_timed_wait:
    case OperationKind::sleep:
      return SignalArrival::interrupts;
    case OperationKind::join:
      return is_ready ? SignalArrival::here : SignalArrival::interrupts;
    case OperationKind::blocking_call:
      return is_in_blocked_call(target.id) ? SignalArrival::interrupts : SignalArrival::here;
    case OperationKind::relock:
    case OperationKind::barrier_leave:
      return SignalArrival::late;
    default:
      return is_ready ? SignalArrival::here : SignalArrival::late;
  }
}

void order(const Task& target, bool acquires) {
  RaceDetector* races = execution.races();
  if (races == nullptr) return;
  const auto object = reinterpret_cast<std::uint64_t>(&target.blocked_signals);
  if (acquires) {
    races->acquire(target.id, object);
  } else {
    races->release(execution.self().id, object);
  }
}

// It ends or stops the whole process.
void end_of(const SentSignal& signal, std::uint64_t site) {
  if (is_stopping(signal.number)) send_signal_to_self(signal.number, site);
  fail_of_signal(signal.number, site);
}

bool ends_process(const Task& target, int signal) {
  return !blocks(target, signal) && !is_ignored(signal) && !has_handler(signal);
}

void let_arrive(Task& target, const SentSignal& signal) {
  target.signals.push_back(signal);
  order(target, false);
  if (target.arrival == SignalArrival::late) return;
  target.arrival = arrival_at(target);
  if (target.arrival != SignalArrival::late) execution.turns.advance(target.id);
}

// The sender gets its own signal before the call returns.
void signal_self(Task& self, const SentSignal& signal) {
  if (is_ignored(signal.number)) return;
  self.signals.push_back(signal);
  run_handlers(self);
}

void* deliver_one(void*) {
  const Task& self = execution.self();
  const SignalsOnTheirWay::Signal& what = sent().carried_by[index(self.id)];
  deliver_to_task(execution.tasks[what.target], what.signal, what.site);
  return nullptr;
}

void send_on_its_way(const Task& target, const SentSignal& signal, std::uint64_t site) {
  Task& carrier =
      thread_begin({deliver_one, nullptr, site, default_stack_size, /*detached=*/true, 0});
  stands_for_kernel(carrier, signal.number);
  sent().carried_by[index(carrier.id)] = {target.id, signal, site};
}

// Whoever lets the signal through may get it; it is a choice. Null: everybody blocks it.
Task* choose_receiver(int signal, std::uint64_t site) {
  execution.steps.touches_world();  // as everybody does who changes a mask
  std::vector<Task*> receivers;
  for (std::uint32_t i = 0; i < execution.tasks.count(); ++i) {
    Task& task = execution.tasks[task_id(i)];
    if (is_of_program(task) && !blocks(task, signal)) receivers.push_back(&task);
  }
  if (receivers.empty()) return nullptr;
  const auto count = static_cast<std::uint32_t>(receivers.size());
  return receivers[execution.choose_value(count, OperationKind::choose, nullptr, site)];
}

// Calls the handler with the mask that it asks for. Whether what it interrupted is begun again.
bool call_handler(Task& self, const SentSignal& signal) {
  const struct sigaction action = action_of(signal.number);
  if (is_simple(action, SIG_IGN) || is_simple(action, SIG_DFL)) return true;
  if ((action.sa_flags & static_cast<int>(SA_RESETHAND)) != 0) ::signal(signal.number, SIG_DFL);
  const SignalMask before = self.blocked_signals;
  const SignalMask own = (action.sa_flags & SA_NODEFER) == 0 ? bit(signal.number) : 0;
  self.blocked_signals = without_own_signals(before | to_mask(action.sa_mask) | own);
  tell_kernel();
  siginfo_t details = {};
  details.si_signo = signal.number;
  details.si_code = signal.code;
  if (signal.code != SI_TIMER) details.si_pid = process_id();
  details.si_value.sival_ptr = signal.value;
  ucontext_t context = {};
  if ((action.sa_flags & SA_SIGINFO) != 0) {
    action.sa_sigaction(signal.number, &details, &context);
  } else {
    action.sa_handler(signal.number);
  }
  ++self.handled_signals;
  self.blocked_signals = before;
  take_from_kernel(self);
  tell_kernel();
  return (action.sa_flags & SA_RESTART) != 0;
}

// Whether a program sends signals is known by the functions that it imports when it begins. A
// system call by its number is none of them, nor is what a library imports that is loaded later.
void require_model(const Task& target, std::uint64_t site) {
  if (program_state.imports.signals || &target == &execution.self()) return;
  execution.fail(OutcomeKind::hang,
                 "sends a signal to another thread by syscall() or from a library that was loaded "
                 "later, which is not modelled by Ricercar: call pthread_kill() or tgkill(), and "
                 "link the library",
                 site);
}

// Without a model of signals. A blocked one waits for a task to take it: sending it is an operation
// that others may see.
long raise_in_kernel(int signal, std::uint64_t site) {
  if ((mask_of_kernel() & bit(signal)) == 0) return send_signal_to_self(signal, site);
  announce(kernel_channel(), site);
  released_through(kernel_channel());
  const long result = send_signal_to_self(signal, site);
  channel_changed();
  return result;
}

SignalMask changed(SignalMask before, int how, SignalMask set) {
  if (how == SIG_BLOCK) return before | set;
  return how == SIG_UNBLOCK ? before & ~set : set;
}

// pthread_sigmask.
bool change_mask(const MaskChange& change, int& error) {
  if (!controlled()) return false;
  const SignalMask before = execution.self().blocked_signals;
  const bool is_known =
      change.how == SIG_BLOCK || change.how == SIG_UNBLOCK || change.how == SIG_SETMASK;
  error = change.set != nullptr && !is_known ? EINVAL : 0;
  if (error != 0) return true;
  const SignalMask set = change.set != nullptr ? to_mask(*change.set) : 0;
  if (change.old != nullptr) {
    sigemptyset(change.old);
    std::memcpy(change.old, &before, sizeof before);
  }
  if (change.set != nullptr) {
    set_task_mask(changed(before, change.how, set), reinterpret_cast<std::uint64_t>(change.caller));
  }
  return true;
}

}  // namespace

void look_for_signalling() {
  if (!program_state.imports.signals) return;
  execution.scheduler().set_step_open(needs_life);
  mask_of_threads = change_mask;
  for (int signal = 1; signal < signal_count; ++signal) sent().had_handlers |= has_handler(signal);
}

void SignalsOnTheirWay::begin_execution() {
  if (!program_state.imports.signals) return;
  std::fill(waits_for, waits_for + signal_count, no_task);
  memory_state.signals.program_has_handlers = had_handlers;
}

bool is_noticed(int signal) {
  return signal != 0 && (has_handler(signal) || (mask_of_kernel() & bit(signal)) != 0);
}

void stands_for_kernel(Task& task, int signal) {
  task.stands_for_kernel = true;
  signal_name(signal).copy(task.name, sizeof task.name - 1);
}

SignalMask mask_of_kernel() {
  SignalMask blocked = 0;
  system_call(SYS_rt_sigprocmask, SIG_BLOCK, 0, as_argument(&blocked), sizeof blocked);
  return blocked;
}

SignalMask pending_for(TaskId task) {
  SignalMask pending = 0;
  system_call(SYS_rt_sigpending, as_argument(&pending), sizeof pending);
  for (int signal = 1; pending != 0 && signal < signal_count; ++signal) {
    const TaskId receiver = sent().waits_for[signal];
    const bool is_others = receiver != no_task && receiver != task;
    if (is_others) pending &= ~bit(signal);
  }
  return pending;
}

void deliver_to_task(Task& target, const SentSignal& signal, std::uint64_t site) {
  const auto* object = reinterpret_cast<const void*>(std::uint64_t{index(target.id)});
  execution.point(OperationKind::deliver, object, site);
  execution.steps.last().value = static_cast<std::uint64_t>(signal.number);
  if (target.state == TaskState::ended) return;
  if (blocks(target, signal.number)) return keep_in_kernel(signal, target.id, site);
  if (is_ignored(signal.number)) return;
  if (ends_process(target, signal.number)) end_of(signal, site);
  let_arrive(target, signal);
}

void deliver_to_process(const SentSignal& signal, std::uint64_t site) {
  Task* target = choose_receiver(signal.number, site);
  if (target == nullptr) return keep_in_kernel(signal, no_task, site);
  deliver_to_task(*target, signal, site);
}

long signal_task(Task& target, const SentSignal& signal, std::uint64_t site) {
  if (signal.number < 0 || signal.number >= signal_count) return -EINVAL;
  if (signal.number == 0 || target.state == TaskState::ended) return 0;
  require_model(target, site);
  if (!program_state.imports.signals) return raise_in_kernel(signal.number, site);
  if (ends_process(target, signal.number)) end_of(signal, site);
  if (&target != &execution.self()) {
    send_on_its_way(target, signal, site);
  } else if (blocks(target, signal.number)) {
    announce(kernel_channel(), site);
    keep_in_kernel(signal, target.id, site);
  } else {
    signal_self(target, signal);
  }
  return 0;
}

long signal_process(const SentSignal& signal, std::uint64_t site) {
  if (signal.number < 0 || signal.number >= signal_count) return -EINVAL;
  if (signal.number == 0) return 0;
  announce(kernel_channel(), site);
  Task* target = choose_receiver(signal.number, site);
  if (target != nullptr) return signal_task(*target, signal, site);
  keep_in_kernel(signal, no_task, site);
  return 0;
}

SignalMask set_task_mask(SignalMask mask, std::uint64_t site) {
  Task& self = execution.self();
  if (!execution.tasks.alone()) execution.point(OperationKind::interruptible, nullptr, site);
  execution.steps.touches_world();
  const SignalMask before = std::exchange(self.blocked_signals, without_own_signals(mask));
  take_from_kernel(self);
  tell_kernel();
  if (!self.signals.empty()) run_handlers(self);
  return before;
}

bool run_handlers(Task& self) {
  self.arrival = SignalArrival::none;
  order(self, true);
  bool again = true;
  while (!self.signals.empty()) {
    const SentSignal next = self.signals.front();
    self.signals.erase(self.signals.begin());
    again = call_handler(self, next) && again;
  }
  return again;
}

// A call that has another mask for its time begins to wait with that mask, at once.
void begin_interruptible(Task& self, std::uint64_t site) {
  if (self.has_other_mask || execution.tasks.alone() || !memory_state.signals.program_has_handlers)
    return;
  execution.point(OperationKind::interruptible, nullptr, site);
}

bool leave_for_handlers(Task& self) {
  execution.scheduler().clear_deadline(self);
  execution.turns.enable(self.id);
  self.cancel_point = false;
  return run_handlers(self);
}

OtherMask::OtherMask(const sigset_t* mask, std::uint64_t site)
    : active_(mask != nullptr && program_state.imports.signals), site_(site) {
  if (!active_) return;
  const std::uint32_t handled = execution.self().handled_signals;
  before_ = set_task_mask(to_mask(*mask), site);
  has_let_in_ = execution.self().handled_signals != handled;
  execution.self().has_other_mask = true;
}

OtherMask::~OtherMask() {
  if (!active_) return;
  execution.self().has_other_mask = false;
  set_task_mask(before_, site_);
}

Task* task_of_number(long thread) {
  const long number = thread - process_id();
  if (number < 0 || number >= static_cast<long>(execution.tasks.count())) return nullptr;
  return &execution.tasks[task_id(static_cast<std::uint32_t>(number))];
}

}  // namespace ricercar::inline threads
