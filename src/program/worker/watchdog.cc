#include "worker/watchdog.h"

#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <string>

#include "base/clock.h"
#include "base/search_heap.h"
#include "threads/execution.h"
#include "threads/instructions.h"
#include "threads/memory/external_state.h"
#include "threads/memory/signal_state.h"
#include "threads/memory/snapshot.h"
#include "threads/own_code.h"
#include "threads/process.h"
#include "threads/real.h"
#include "threads/signal_frame.h"
#include "worker/own_priority.h"
#include "worker/worker.h"

namespace ricercar::inline worker {
namespace {

constexpr int watchdog_signal_offset = 2;  // from the end of the real-time signals
constexpr double tick_seconds = 0.1;
constexpr double stop_seconds = 0.5;  // how long an execution may take to its next decision
constexpr double pause_seconds = 1;   // without a tick: the process was stopped, or got no time
// Instruction by instruction a large copy of the runtime's would take hours.
constexpr int most_steps_in_a_tick = 20000;

Control* watched = nullptr;
int timer = -1;
double started = 0;
double seconds_before = 0;  // of earlier workers

// What must change while the program is under control.
struct Sign {
  std::uint64_t executions, steps, pauses;
  bool operator==(const Sign&) const = default;
};
Sign last_sign = {};
double last_change = 0;
double last_tick = 0;
double stop_noticed = 0;
bool is_paused = false;
std::uint64_t pauses_begun = 0;
bool leaving_own_code = false;
int steps_in_tick = 0;
siginfo_t pending_death = {};  // of a signal that came in the middle of the runtime

std::uint64_t instruction_of(void* context) {
  return static_cast<std::uint64_t>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
}

// Sites lie behind what they name.
std::uint64_t site_of(void* context) { return instruction_of(context) + 1; }

void step_by_step(bool is_wanted, void* context) {
  constexpr greg_t trap_flag = 0x100;
  greg_t& flags = static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_EFL];
  flags = is_wanted ? flags | trap_flag : flags & ~trap_flag;
}

// An execution never ends out of the middle of the runtime. Where the signal came in the middle,
// the processor goes on instruction by instruction until the program's code is reached; if that is
// far away, it runs on, and the next tick looks again.
bool in_own_code(void* context) {
  leaving_own_code = is_own_code(instruction_of(context));
  step_by_step(leaving_own_code, context);
  return leaving_own_code;
}

// A priority function of the program's own is asked between executions.
void own_priority_hangs() {
  if (!watched->whole_program) return;  // the process is not ours to end
  char text[256];
  snprintf(
      text, sizeof text,
      "the program's own priority '%s' did not come back within %d seconds (--hang allows more)",
      running_own_priority(), static_cast<int>(watched->request.hang_seconds));
  stop_search_now(text);
}

void look_for_hang(double now, void* context) {
  const Sign sign{watched->executions, execution.steps.size() + own_priority_calls(), pauses_begun};
  const bool is_own_priority = running_own_priority() != nullptr;
  if ((!execution.active() && !is_own_priority) || !(sign == last_sign)) {
    last_sign = sign;
    last_change = now;
    return;
  }
  if (now - last_change < watched->request.hang_seconds) return;
  if (is_own_priority) return own_priority_hangs();
  if (in_own_code(context)) return;
  last_change = now;
  execution.fail(
      OutcomeKind::hang,
      "the thread did not come to any operation under control for " +
          std::to_string(static_cast<int>(watched->request.hang_seconds)) +
          " seconds (--hang allows more): it blocks in a call that Ricercar does not model, "
          "or loops",
      site_of(context));
}

// The next decision ends the execution. If there is none, this does.
void stop_execution(double now, void* context) {
  if (stop_noticed == 0) stop_noticed = now;
  execution.scheduler().ask_to_stop();
  if (now - stop_noticed < stop_seconds) return;
  if (execution.active() && !in_own_code(context)) {
    execution.end.stop();
    execution.finish();
  }
}

int watchdog_signal() { return SIGRTMAX - watchdog_signal_offset; }

// On real threads the timer's signal comes to the first one; only the one that runs can tell where
// it is.
bool passed_on_to_running_thread() {
  if (execution.options().backend != Backend::threads || !execution.active()) return false;
  const int running_thread = execution.self().kernel_id;
  if (running_thread == 0 || running_thread == system_call(SYS_gettid)) return false;
  system_call(SYS_tgkill, system_call(SYS_getpid), running_thread, watchdog_signal());
  return true;
}

// Time in which this process did not run, because somebody has stopped it, says nothing about the
// program.
void leave_out_pauses(double now) {
  if (is_paused) last_change = now;
  if (now - last_tick > pause_seconds) last_change += now - last_tick;
  last_tick = now;
}

void look_after(void* context) {
  const double now = now_seconds();
  leave_out_pauses(now);
  watched->seconds = seconds_before + now - started;
  const double limit = watched->request.max_seconds;
  if (limit > 0 && watched->seconds >= limit) watched->ask_to_stop();
  if (watched->stop) return stop_execution(now, context);
  look_for_hang(now, context);
}

const char* describe(int signal) {
  switch (signal) {
    case SIGSEGV:
      return "segmentation fault";
    case SIGBUS:
      return "bus error";
    case SIGFPE:
      return "arithmetic error";
    case SIGILL:
      return "illegal instruction";
    case SIGABRT:
      return "abort";
    case SIGTRAP:
      return "trap";
    default:
      return "signal";
  }
}

// A call through a pointer that points to no function. Only who called it is of interest: puts the
// processor back into the call.
bool goes_back_to_call(int signal, const siginfo_t& details, void* context) {
  const auto address = reinterpret_cast<std::uint64_t>(details.si_addr);
  if (signal != SIGSEGV || address != instruction_of(context)) return false;
  greg_t* registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  const auto* top = reinterpret_cast<const greg_t*>(registers[REG_RSP]);
  registers[REG_RIP] = *top - 1;
  registers[REG_RSP] += sizeof *top;
  return true;
}

std::string crash_message(int signal, const siginfo_t& details, bool is_call) {
  const auto address = reinterpret_cast<std::uint64_t>(details.si_addr);
  std::string text = std::string(describe(signal)) + " (signal " + std::to_string(signal) + ")";
  if (signal != SIGSEGV && signal != SIGBUS) return text;
  const int owner = guard_page_owner(address);
  if (owner >= 0) return "stack overflow in T" + std::to_string(owner) + ", " + text;
  char digits[32];
  snprintf(digits, sizeof digits, "0x%llx", static_cast<unsigned long long>(address));
  text += " at address " + std::string(digits);
  const bool is_null = address < 4096;
  if (is_call)
    return text + (is_null ? ", a call through a null pointer" : ", which is no function");
  return is_null ? text + ", a null pointer" : text;
}

// With what the signal does by default.
void die(int signal) {
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  raw_sigaction(signal, action);
  system_call(SYS_tgkill, system_call(SYS_getpid), system_call(SYS_gettid), signal);
}

// A person, or another program, is not the program under test.
bool comes_from_outside(const siginfo_t& details) {
  const bool is_sent =
      details.si_code == SI_USER || details.si_code == SI_TKILL || details.si_code == SI_QUEUE;
  if (is_sent) return details.si_pid != system_call(SYS_getpid);
  const int signal = details.si_signo;
  return signal == SIGINT || signal == SIGQUIT || signal == SIGHUP || signal == SIGTERM;
}

// A signal for which the program has no handler.
void killed(int signal, siginfo_t* details, void* context) {
  if (!execution.active() || !controlled() || comes_from_outside(*details)) return die(signal);
  const bool by_itself =
      details->si_code == SI_USER || details->si_code == SI_TKILL || details->si_code == SI_QUEUE;
  if (!by_itself && in_own_code(context)) {
    pending_death = *details;
    return;
  }
  fail_of_signal(signal, site_of(context));
}

void look_again(void* context) {
  if (pending_death.si_signo == 0) return look_after(context);
  if (in_own_code(context)) return;
  const int signal = pending_death.si_signo;
  pending_death = {};
  if (execution.active() && controlled()) fail_of_signal(signal, site_of(context));
  die(signal);
}

// The processor has made one more step on its way out of the runtime.
void step_made(void* context) {
  if (++steps_in_tick < most_steps_in_a_tick) return look_again(context);
  leaving_own_code = false;
  step_by_step(false, context);
}

void tick(int, siginfo_t*, void* context) {
  if (watched == nullptr || passed_on_to_running_thread()) return;
  steps_in_tick = 0;
  look_again(context);
}

void crashed(int signal, siginfo_t* details, void* context) {
  if (signal == SIGSEGV && snapshot_handle_fault(details->si_addr)) return;
  if (signal == SIGSEGV && details->si_code == SI_KERNEL && answer_time_stamp(context)) return;
  if (signal == SIGILL && answer_library_call(signal, *details, context)) return;
  if (signal == SIGTRAP && leaving_own_code && watched != nullptr) return step_made(context);
  // A stack may overflow in the runtime too, on behalf of the task.
  const bool overflow = guard_page_owner(reinterpret_cast<std::uint64_t>(details->si_addr)) >= 0;
  const bool in_search = search_heap_is_busy() && !overflow;
  if (execution.active() && !in_search && (controlled() || overflow)) {
    if (!overflow && pass_to_program(signal, *details, context)) return;
    Outcome outcome;
    outcome.kind = OutcomeKind::crash;
    const bool is_call = !overflow && goes_back_to_call(signal, *details, context);
    outcome.message = crash_message(signal, *details, is_call);
    outcome.number = signal;
    outcome.site = site_of(context);
    outcome.object = reinterpret_cast<std::uint64_t>(details->si_addr);
    execution.fail(std::move(outcome));
  }
  // Not the program: the search itself.
  if ((!execution.active() || in_search) && watched != nullptr && watched->fault[0] == 0) {
    const char* own = running_own_priority();
    snprintf(watched->fault, sizeof watched->fault, "%s%s%s crashed: %s (signal %d)",
             own != nullptr ? "the program's own priority '" : "the search itself",
             own != nullptr ? own : "", own != nullptr ? "'" : "", describe(signal), signal);
  }
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  raw_sigaction(signal, action);
}

void handle(int signal, void (*handler)(int, siginfo_t*, void*), int flags) {
  struct sigaction action {};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK | flags;
  raw_sigaction(signal, action);
}

timespec as_time(double seconds) {
  const auto whole = static_cast<time_t>(seconds);
  return {whole, static_cast<long>((seconds - static_cast<double>(whole)) * 1e9)};
}

// Sends the watchdog's signal to this kernel thread again and again.
int start_timer(double seconds) {
  struct sigevent event {};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = watchdog_signal();
  event._sigev_un._tid = static_cast<int>(system_call(SYS_gettid));
  int started_timer = -1;
  system_call(SYS_timer_create, CLOCK_MONOTONIC, reinterpret_cast<long>(&event),
              reinterpret_cast<long>(&started_timer));
  const struct itimerspec period { as_time(seconds), as_time(seconds) };
  system_call(SYS_timer_settime, started_timer, 0, reinterpret_cast<long>(&period));
  return started_timer;
}

double constructor_seconds = 0;
int constructor_timer = -1;

void constructors_hang(int, siginfo_t*, void* context) {
  const std::uint64_t place = place_in_executable();
  const std::string message =
      "the program's static constructors did not come to main within " +
      std::to_string(static_cast<int>(constructor_seconds)) + " seconds (--hang allows more): at " +
      place_of(place != 0 ? place : instruction_of(context)) +
      " one of them loops or waits. Threads that are created before main begin with main, so a "
      "constructor cannot wait for them.";
  stop_search_now(message.c_str());
}

void guard_if_default(int signal) {
  struct sigaction now {};
  if (::sigaction(signal, nullptr, &now) != 0) return;
  if ((now.sa_flags & SA_SIGINFO) == 0 && now.sa_handler == SIG_DFL) {
    handle(signal, killed, SA_RESTART);
  }
  guard_signal(signal, killed);
}

// All whose default action ends the process and that can be handled.
void guard_signals() {
  for (const int signal :
       {SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGPIPE, SIGALRM, SIGTERM, SIGSTKFLT, SIGXCPU,
        SIGXFSZ, SIGVTALRM, SIGPROF, SIGIO, SIGPWR, SIGSYS}) {
    guard_if_default(signal);
  }
  for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal) {
    if (signal != watchdog_signal()) guard_if_default(signal);
  }
}

}  // namespace

void watch_constructors(const Control& control) {
  constructor_seconds = control.request.hang_seconds;
  handle(watchdog_signal(), constructors_hang, SA_RESTART);
  constructor_timer = start_timer(constructor_seconds);
}

void constructors_ended() { system_call(SYS_timer_delete, constructor_timer); }

void install_crash_handlers() {
  use_handler_stack();
  replace_library_calls();
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP}) {
    handle(signal, crashed, 0);
    external_state_own_signal(signal);
  }
  external_state_own_signal(watchdog_signal());
  guard_signals();
}

void watchdog_start(Control& control) {
  watched = &control;
  started = now_seconds();
  last_change = last_tick = started;
  stop_noticed = 0;
  pending_death = {};
  seconds_before = control.seconds;
  handle(watchdog_signal(), tick, SA_RESTART);
  timer = start_timer(tick_seconds);
}

// Nodes pause at every hand-over: the clock is the next tick's to look at.
void watchdog_pause(bool pauses) {
  if (pauses) ++pauses_begun;
  is_paused = pauses;
}

void watchdog_stop() {
  if (watched == nullptr) return;
  system_call(SYS_timer_delete, timer);
  watched->seconds = seconds_before + now_seconds() - started;
  watched = nullptr;
}

}  // namespace ricercar::inline worker
