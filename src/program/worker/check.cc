// ricercar::check: the search of a function, resident in the process that calls it.
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/search_heap.h"
#include "model/outcome_kinds.h"
#include "model/schedule.h"
#include "search/check_call.h"
#include "search/check_options.h"
#include "search/minimise_call.h"
#include "search/process_facts.h"
#include "threads/entry.h"
#include "threads/execution.h"
#include "threads/memory/heap.h"
#include "threads/real.h"
#include "worker/execution_setup.h"
#include "worker/runtime.h"
#include "worker/watchdog.h"
#include "worker/worker.h"

namespace ricercar::inline worker {
namespace {

// Beside the library's folder, in the build tree and after an installation.
std::string tool_path() {
  const std::string library = library_folder();
  std::string folder = library;
  while (!folder.empty()) {
    folder = folder.substr(0, folder.rfind('/'));
    const std::string tool = folder + "/bin/ricercar";
    if (access(tool.c_str(), X_OK) == 0) return tool;
  }
  return {};
}

std::string read_to_end(int file) {
  std::string text;
  char buffer[4096];
  for (ssize_t got = 0; (got = read(file, buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(got));
  }
  return text;
}

std::string ask_tool(const char* command, const std::string& argument) {
  const std::string tool = tool_path();
  int ends[2];
  if (tool.empty() || pipe2(ends, O_CLOEXEC) != 0) return {};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  const char* arguments[] = {tool.c_str(), command, argument.c_str(), nullptr};
  pid_t child = 0;
  const int error = posix_spawn(&child, tool.c_str(), &actions, nullptr,
                                const_cast<char* const*>(arguments), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string answer = error == 0 ? read_to_end(ends[0]) : std::string();
  close(ends[0]);
  int status = 0;
  if (error == 0) waitpid(child, &status, 0);
  return answer;
}

std::string explain(const std::string& schedule_path) { return ask_tool("show", schedule_path); }

// Of this program, as a list; it does not change.
const std::string& uninstrumented_code() {
  static const std::string code = ask_tool("uninstrumented", own_path());
  return code;
}

constexpr std::size_t heap_bytes = std::size_t{16} << 30;  // reserved, not used up

// Texts that a result points to; they live until the next call.
struct Answer {
  std::string error;
  std::string coverage;
  std::vector<std::string> texts;
  std::vector<ricercar_bug> bugs;
};

void answer_with_bugs(Answer& answer, std::vector<CheckBug>& bugs, const CheckCall& check,
                      const std::string& out) {
  answer.texts.reserve(4 * bugs.size());
  const auto keep = [&answer](std::string value) {
    answer.texts.push_back(std::move(value));
    return answer.texts.back().c_str();
  };
  std::uint64_t number = 0;
  for (CheckBug& bug : bugs) {
    const std::string path = schedule_path(out, check, ++number);
    std::string report;
    std::string written = path;
    try {
      save(bug, path);
      report = explain(path);
    } catch (const UsageError& error) {
      written.clear();
      report = bug.found.message + "\n(the schedule was not saved: " + error.what() + ")\n";
    }
    answer.bugs.push_back({keep(bug.found.kind), keep(bug.found.message), keep(written),
                           keep(report), bug.found.execution});
  }
}

void restart_resident() { heap_begin_execution(); }

// A replay that the tool started, or a search among variants: this is the check it wants.
[[noreturn]] void work_for_tool(Control& control, Call& call) {
  install_crash_handlers();
  const Subject subject{call_body, &call, restart_resident, false};
  bool is_done = true;
  if (control.request.mode == Mode::replay) {
    run_replay(control, subject);
  } else {
    is_done = run_search(control, subject);
  }
  system_call(SYS_exit_group, is_done ? worker_done : worker_restart);
  __builtin_unreachable();
}

Control& fresh_control() {
  static Control* control = nullptr;
  static void* heap = nullptr;
  if (control == nullptr) {
    control = new Control;
    heap = reinterpret_cast<void*>(system_call(SYS_mmap, 0, heap_bytes, PROT_READ | PROT_WRITE,
                                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  } else {
    // Everything of the last search goes at once, and its memory back to the system.
    control->~Control();
    new (control) Control;
    system_call(SYS_madvise, reinterpret_cast<long>(heap), heap_bytes, MADV_DONTNEED);
  }
  search_heap_attach(heap, heap_bytes, true);
  return *control;
}

// --- Shorter executions ---

// In this process: everything of the search before is gone then.
std::optional<Schedule> shorter_than(const Schedule& found, std::uint64_t budget,
                                     const CheckCall& check, Call& call) {
  Control& control = fresh_control();
  if (!ask_for_shorter(found, budget, control.request)) return std::nullopt;
  control.whole_program = false;
  run_search(control, {call_body, &call, restart_resident, false});
  set_current_control(nullptr);
  return shorter_of(control, found, check);
}

// All bugs share the budget.
void make_shorter(std::vector<CheckBug>& bugs, const CheckCall& check, Call& call) {
  const std::uint64_t budget = usual_minimise_budget / std::max<std::size_t>(bugs.size(), 1);
  for (CheckBug& bug : bugs) bug.shorter = shorter_than(bug.found, budget, check, call);
}

// Lines as a list, each of which completes "the program".
std::string unseen_text(const Control& control) {
  std::string text = control.not_modelled;
  text.pop_back();
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos;) {
    text.replace(at, 1, "; it ");
  }
  return "it " + text;
}

// Nobody knows what code that is not instrumented does to the memory of other threads.
void limit_promise(const Control& control, Answer& answer, ricercar_result& result) {
  if (control.most_tasks < 2) return;
  if (control.not_modelled[0] != 0) {
    result.complete = 0;
    answer.coverage +=
        "; all this as far as the program is modelled (" + unseen_text(control) + ")";
  }
  const std::string& unseen = uninstrumented_code();
  if (unseen.empty()) return;
  result.complete = 0;
  answer.coverage +=
      "; all this as far as the code is instrumented (not instrumented: " + unseen + ")";
}

void check(const ricercar_options& options, const CheckCall& number, Call& call, Answer& answer,
           ricercar_result& result) {
  const CheckOptions asked = check_options(options);
  Control& control = fresh_control();
  control.request = asked.request;
  control.request.has_unseen_code = !uninstrumented_code().empty();
  control.whole_program = false;
  install_crash_handlers();
  run_search(control, {call_body, &call, restart_resident, false});
  set_current_control(nullptr);
  copy_figures(control, result);
  answer.coverage = coverage_text(control);
  answer.error = control.error;
  if (answer.error.empty() && control.bug_count == 0 && control.executions > 0 &&
      control.truncated == control.executions) {
    answer.error = "no execution ended within " + std::to_string(control.request.max_steps) +
                   " steps: allow more with Options::steps, or give the body less to do";
  }
  limit_promise(control, answer, result);
  std::vector<CheckBug> bugs = bugs_of(control, number);
  if (asked.minimises) make_shorter(bugs, number, call);
  answer_with_bugs(answer, bugs, number, asked.out);
}

}  // namespace
}  // namespace ricercar::inline worker

RICERCAR_HOOK void ricercar_begin_test(const char* name) {
  if (!ricercar::controlled()) ricercar::begin_test(name == nullptr ? "" : name);
}

RICERCAR_HOOK void ricercar_check(const ricercar_options* options, void (*body)(void*),
                                  void* context, ricercar_result* result) {
  using namespace ricercar;
  // Inside of a search, as part of a whole program, the body is just run.
  if (controlled()) {
    body(context);
    *result = {};
    result->executions = 1;
    return;
  }
  static Answer answer;
  answer = {};
  *result = {};
  const CheckCall number = next_check(name_in(*options));
  Call call{body, context};
  if (Control* control = attached_control()) {
    if (control->request.check_number == number.number) work_for_tool(*control, call);
    result->executions = 1;  // an earlier check of a process that replays a later one
    return;
  }
  try {
    check(*options, number, call, answer, *result);
  } catch (const UsageError& error) {
    answer.error = error.what();
  }
  result->coverage = answer.coverage.c_str();
  result->error = answer.error.empty() ? nullptr : answer.error.c_str();
  result->bugs = answer.bugs.data();
  result->bug_count = answer.bugs.size();
}
