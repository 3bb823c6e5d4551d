#include "worker/scripted_runtime.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#include <cstring>
#include <new>
#include <string>

#include "base/search_heap.h"
#include "base/system_call.h"
#include "base/text.h"
#include "threads/memory/heap.h"
#include "worker/execution_setup.h"
#include "worker/worker.h"

namespace ricercar::inline worker {
namespace {

void add_line(char* text, std::size_t size, const std::string& line) {
  const std::size_t used = std::strlen(text);
  RICERCAR_CHECK(used + line.size() + 2 <= size);
  std::strcpy(text + used, (line + "\n").c_str());
}

std::string name_of(TaskId task) { return "T" + std::to_string(index(task)); }

// Takes the decisions of the test, and looks at the search's own state at each of them.
class Script final : public Strategy {
 public:
  explicit Script(ScriptedRun& run) : run_(run) {}

  bool begin() override { return true; }
  std::size_t choose(const ChoicePoint& point) override {
    execution.check_invariants();
    return point.kind == ChoiceKind::value ? choose_value(point) : choose_task(point);
  }
  void end(Trace, const Outcome&) override {}
  Coverage coverage() const override { return {}; }

 private:
  std::size_t choose_value(const ChoicePoint& point) {
    offer(std::to_string(point.options.size()) + " values");
    return next_value_ < run_.value_count ? run_.values[next_value_++] : 0;
  }
  std::size_t choose_task(const ChoicePoint& point) {
    std::string line;
    point.options.for_each([&](const Option& option, std::uint32_t) {
      line += (line.empty() ? "" : " ") + name_of(option.task);
    });
    offer(line);
    if (next_task_ == run_.task_count) {
      return point.running != no_task ? point.options.position(point.running) : 0;
    }
    const TaskId task = task_id(run_.tasks[next_task_++]);
    run_.followed = run_.followed && point.options.contains(task);
    return run_.followed ? point.options.position(task) : cut;
  }
  void offer(const std::string& line) { add_line(run_.offered, sizeof run_.offered, line); }

  ScriptedRun& run_;
  std::size_t next_task_ = 0;
  std::size_t next_value_ = 0;
};

// Forked executions leave what they have found in memory that is shared.
char* map_shared(std::size_t bytes) {
  char* memory = map_memory(nullptr, bytes, PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE);
  RICERCAR_CHECK(memory != nullptr);
  return memory;
}

void attach_heap() {
  constexpr std::size_t bytes = std::size_t{1} << 30;
  search_heap_attach(map_shared(bytes), bytes, true);
}

std::string line_of(const Step& step) {
  std::string line = name_of(step.task) + " " + info(step.kind).words;
  if ((step.flags & step_timeout) != 0) line += " (its time is over)";
  if ((step.flags & step_failed) != 0) line += " (fails)";
  return line;
}

std::uint64_t restarts = 0;

void restart() {
  ++restarts;
  heap_begin_execution();
}

const char* name_of(Status status) {
  switch (status) {
    case Status::finished:
      return "finished";
    case Status::failed:
      return "failed";
    case Status::stopped:
      return "stopped";
    default:
      return "running";
  }
}

}  // namespace
}  // namespace ricercar::inline worker

using namespace ricercar;

void ricercar_run_script(ScriptedRun* run, void (*body)(void*), void* context) {
  attach_heap();
  ExecutionOptions options;
  options.max_steps = 1000;
  options.spurious_wakeups = run->spurious_wakeups;
  execution.configure(options);
  Call call{body, context};
  Script script(*run);
  heap_begin_execution();
  const Outcome& outcome = run_execution({call_body, &call, restart, false}, script);
  for (const Step& step : execution.steps.trace()) {
    if (step.options != 0) add_line(run->trace, sizeof run->trace, line_of(step));
  }
  copy_text(run->outcome, std::string(outcome.is_bug() ? info(outcome.kind).name : "ok"));
  copy_text(run->message, outcome.message);
  run->nanoseconds = execution.clock.now() - VirtualClock().now();
}

void ricercar_search_script(ScriptedSearch* search, void (*body)(void*), void* context) {
  attach_heap();
  restarts = 0;
  auto* control = new (map_shared(sizeof(Control))) Control;
  control->request.max_executions = search->max_executions;
  control->request.force_fork = search->force_fork;
  control->request.keep_going = search->keep_going;
  control->request.strategy = search->strategy;
  Call call{body, context};
  const Subject subject{call_body, &call, restart, search->force_fork};
  search->came_to_its_end = run_search(*control, subject);
  search->is_searching_afterwards = controlled() || execution.active();
  set_current_control(nullptr);
  copy_text(search->status, std::string(name_of(control->status)));
  search->executions = control->executions;
  search->bugs = control->bug_count;
  if (control->first_bug != nullptr) {
    copy_text(search->first_bug, std::string(info(control->first_bug->outcome.kind).name));
  }
  search->restarts = restarts;
  search->complete = control->complete;
}
