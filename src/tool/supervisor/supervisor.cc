#include "supervisor/supervisor.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/search_heap.h"
#include "disk/undo.h"
#include "search/lost_execution.h"
#include "supervisor/signals.h"

namespace ricercar::inline supervisor {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int tick_ms = 200;
constexpr int deaths_without_progress_limit = 3;
constexpr std::size_t output_limit = std::size_t{64} << 10;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Reads what the program writes and keeps the end of it.
class OutputTail {
 public:
  OutputTail() {
    if (::pipe2(pipe_, O_CLOEXEC) != 0) {
      throw UsageError("cannot make a pipe: " + std::string(strerror(errno)));
    }
    ::fcntl(pipe_[0], F_SETFL, O_NONBLOCK);
  }
  ~OutputTail() {
    ::close(pipe_[0]);
    ::close(pipe_[1]);
  }
  OutputTail(const OutputTail&) = delete;
  OutputTail& operator=(const OutputTail&) = delete;

  int reading_end() const { return pipe_[0]; }
  int writing_end() const { return pipe_[1]; }
  // Reads a bounded amount, so that a program that floods its output cannot hold the loop.
  void drain() {
    char buffer[65536];
    for (int i = 0; i < 16; ++i) {
      const ssize_t got = ::read(pipe_[0], buffer, sizeof buffer);
      if (got <= 0) return;
      text_.append(buffer, static_cast<std::size_t>(got));
      if (text_.size() <= output_limit) continue;
      text_.erase(0, text_.size() - output_limit);
      cut_ = true;
    }
  }
  const std::string& text() const { return text_; }
  bool is_cut() const { return cut_; }

 private:
  int pipe_[2];
  std::string text_;
  bool cut_ = false;
};

// How much longer than --hang the program gets until it is killed: its own watchdog, which knows
// the place, comes first.
constexpr double hang_margin_seconds = 3;
// How long a program that does nothing any more is waited for after it was asked to stop.
constexpr double stuck_seconds = 2;
// How long the last execution of a search that is kept may take.
constexpr double last_execution_seconds = 3;

std::string describe_death(int status) {
  if (WIFSIGNALED(status)) return "was killed by " + signal_words(WTERMSIG(status));
  return "ended with status " + std::to_string(WEXITSTATUS(status));
}

class Supervisor {
 public:
  Supervisor(SharedControl& shared, Launch launch, const ProgramInput& input,
             const Supervision& supervision)
      : control_(shared.control()), launch_(std::move(launch)), input_(input), wish_(supervision) {
    launch_.control = shared.descriptor();
    control_.tool = ::getpid();
    if (!wish_.capture) return;
    launch_.output = tail_.writing_end();
    launch_.error = tail_.writing_end();
  }

  Supervised run() {
    bool again = true;
    while (again) {
      const std::uint64_t before = control_.executions;
      again = after_death(run_worker(), before);
      undo_all(control_.disk);
      await_guardian(control_);
    }
    tail_.drain();
    result_.seconds = seconds_since(start_);
    result_.output = tail_.text();
    result_.output_is_cut = tail_.is_cut();
    return result_;
  }

 private:
  struct Sign {
    std::uint64_t executions, steps;
    bool operator==(const Sign&) const = default;
  };

  int run_worker() {
    launch_.input = input_.rewound();
    is_asked_ = is_late_ = is_hung_ = control_.is_constructing = false;
    changed_ = Clock::now();
    worker_ = start_worker(launch_);
    int status = 0;
    while (::waitpid(worker_, &status, WNOHANG) == 0) wait_for_something();
    // Whatever the program forked belongs to the same group and ends with it.
    ::kill(-worker_, SIGKILL);
    return status;
  }

  // It may have left its group.
  void kill_worker() const {
    ::kill(-worker_, SIGKILL);
    ::kill(worker_, SIGKILL);
  }

  void wait_for_something() {
    pollfd watched[] = {{signals_.descriptor(), POLLIN, 0}, {tail_.reading_end(), POLLIN, 0}};
    ::poll(watched, 2, wish_.tick_ms);
    if (wish_.capture) tail_.drain();
    while (const int signal = signals_.next()) handle(signal);
    answer_question();
    note_changes();
    enforce_time();
    look_whether_enough();
    look_for_hang();
    if (wish_.tick) wish_.tick(control_, seconds_since(start_));
    show_progress();
  }

  void handle(int signal) {
    if (signal == SIGCHLD || signal == signal_of_question) return;
    if (signal == SIGTSTP) return pause();
    if (result_.interrupted) {
      result_.killed = true;
      kill_worker();
      return;
    }
    result_.interrupted = true;
    control_.ask_to_stop();
  }

  void answer_question() {
    std::atomic<std::uint32_t>& state = control_.question.state;
    if (!wish_.answer || state.load() != PlaceQuestion::asked) return;
    wish_.answer(control_);
    state.store(PlaceQuestion::answered);
    ::syscall(SYS_futex, &state, FUTEX_WAKE, 1, nullptr, nullptr, 0);
  }

  void pause() {
    ::kill(-worker_, SIGSTOP);
    ::raise(SIGSTOP);
    ::kill(-worker_, SIGCONT);
    changed_ = Clock::now();
  }

  // The worker may have set `stop` itself: it looks at the time, too.
  void enforce_time() {
    if (wish_.max_seconds > 0 && seconds_since(start_) > wish_.max_seconds) {
      control_.ask_to_stop();
      result_.out_of_time = true;
    }
    if (control_.ends_soon && !control_.stop) end_soon();
    if (!control_.stop) return;
    if (!is_asked_) asked_ = Clock::now();
    is_asked_ = true;
    const bool is_stuck = seconds_since(changed_) > stuck_seconds;
    const double grace =
        is_stuck ? std::min(stuck_seconds, wish_.grace_seconds) : wish_.grace_seconds;
    if (seconds_since(asked_) < grace) return;
    is_late_ = true;
    kill_worker();
  }

  // An execution that takes long is not waited for.
  void end_soon() {
    if (!is_ending_) ending_ = Clock::now();
    is_ending_ = true;
    if (seconds_since(ending_) >= last_execution_seconds) control_.stop = true;
  }

  // What must change while the program runs under control. What the search does between executions,
  // and a strategy that thinks, take as long as they take.
  void note_changes() {
    const Sign sign{control_.executions, control_.open.step_count};
    const bool runs = control_.execution_open && !search_heap_is_busy();
    if ((runs || control_.is_constructing) && sign == sign_) return;
    sign_ = sign;
    changed_ = Clock::now();
  }

  void look_whether_enough() {
    const bool may_be = control_.status == Status::running && !control_.stop && !result_.was_enough;
    if (!may_be || !wish_.is_enough) return;
    result_.was_enough = wish_.is_enough(control_, seconds_since(start_), worker_);
    if (result_.was_enough) kill_worker();
  }

  // Only if the watchdog inside of the program could not.
  void look_for_hang() {
    if (seconds_since(changed_) < control_.request.hang_seconds + hang_margin_seconds) return;
    is_hung_ = true;
    kill_worker();
  }

  void show_progress() {
    if (!wish_.progress || seconds_since(shown_) * 1000 < tick_ms) return;
    shown_ = Clock::now();
    wish_.progress(control_, seconds_since(start_));
  }

  // True: another worker should go on with the search.
  bool after_death(int status, std::uint64_t executions_before) {
    if (control_.fault[0] != 0) return give_up(control_.fault);
    // It may have ended by itself just then.
    result_.was_enough = result_.was_enough && control_.status == Status::running;
    if (control_.status > Status::running || result_.killed || result_.was_enough) return false;
    if (control_.request.mode == Mode::replay && control_.recording != nullptr) return false;
    if (is_hung_ && control_.is_constructing) return give_up(constructor_message());
    if (is_late_ && was_thinking()) return stop_thinking();
    if (control_.execution_open) return after_lost_execution(status, executions_before);
    if (is_late_) return give_up(late_message());
    if (control_.status == Status::idle) return not_controlled(status);
    if (control_.stop || control_.ends_soon) return false;
    return is_worth_another(status, executions_before);
  }

  // The time was up while the search itself was busy, and it was killed there.
  bool was_thinking() const {
    return control_.request.mode == Mode::search && search_heap_is_busy();
  }

  // What was found before counts. What the strategy knows may be half changed: nobody reads it.
  bool stop_thinking() {
    control_.status = Status::stopped;
    control_.complete = control_.execution_open = false;
    control_.sets = nullptr;
    result_.was_thinking = true;
    return false;
  }

  // The next worker tells the strategy, and notes the bug. It does that and no more if the time is
  // up.
  bool after_lost_execution(int status, std::uint64_t executions_before) {
    if (search_heap_is_busy()) return give_up(broken_message(status));
    note_end(status);
    if (control_.request.mode == Mode::replay) return is_late_ && give_up(late_message());
    if (is_late_ && was_late_) return give_up(late_message());
    was_late_ = was_late_ || is_late_;
    return is_worth_another(status, executions_before);
  }

  // A worker that dies before it has taken over changes nothing about that execution.
  void note_end(int status) {
    if (control_.end.way != ProcessEnd::unknown) return;
    control_.end = end_of_process(status);
    if (is_hung_) control_.end = {ProcessEnd::hung, 0};
    if (is_late_) control_.end = {ProcessEnd::stopped, 0};
  }

  bool is_worth_another(int status, std::uint64_t executions_before) {
    deaths_ = control_.executions > executions_before ? 0 : deaths_ + 1;
    return deaths_ < deaths_without_progress_limit || give_up(death_message(status));
  }

  bool give_up(std::string message) {
    result_.ending = Ending::gave_up;
    result_.message = std::move(message);
    return false;
  }

  bool not_controlled(int status) {
    result_.ending = Ending::uncontrolled;
    result_.message = describe_death(status);
    return false;
  }

  std::string late_message() const {
    return "the program did not come back within " +
           std::to_string(static_cast<int>(wish_.grace_seconds)) +
           " seconds after it was asked to stop, and was killed; code that is not under control "
           "probably blocks";
  }

  std::string constructor_message() const {
    return "the program's static constructors did not come to main within " +
           std::to_string(static_cast<int>(control_.request.hang_seconds)) +
           " seconds (--hang allows more), and could not be interrupted";
  }

  static std::string broken_message(int status) {
    return "the program's process " + describe_death(status) +
           " in the middle of a decision of the search, which cannot go on; perhaps memory ran out";
  }

  std::string death_message(int status) const {
    return "the program's process " + describe_death(status) + " " +
           std::to_string(deaths_without_progress_limit) +
           " times in a row without completing an execution, after " +
           std::to_string(control_.executions) + " executions";
  }

  Control& control_;
  Launch launch_;
  const ProgramInput& input_;
  const Supervision& wish_;
  Signals signals_;
  OutputTail tail_;
  Supervised result_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point asked_ = start_;
  Clock::time_point ending_ = start_;
  Clock::time_point shown_ = start_;
  Clock::time_point changed_ = start_;
  Sign sign_ = {};
  pid_t worker_ = -1;
  int deaths_ = 0;
  bool is_asked_ = false;   // to stop
  bool is_ending_ = false;  // asked to stop between two executions
  bool is_late_ = false;    // it did not, and was killed
  bool was_late_ = false;   // an earlier worker was
  bool is_hung_ = false;    // it was killed because it did nothing any more
};

}  // namespace

void await_guardian(Control& control) {
  constexpr int patience_ms = 60 * 1000;
  const pid_t guardian = std::exchange(control.guardian, 0);
  if (guardian == 0) return;
  const auto process = static_cast<int>(::syscall(SYS_pidfd_open, guardian, 0));
  if (process < 0) return;
  pollfd ended{process, POLLIN, 0};
  ::poll(&ended, 1, patience_ms);
  ::close(process);
}

Supervised supervise(SharedControl& shared, Launch launch, const ProgramInput& input,
                     const Supervision& supervision) {
  return Supervisor(shared, std::move(launch), input, supervision).run();
}

}  // namespace ricercar::inline supervisor
