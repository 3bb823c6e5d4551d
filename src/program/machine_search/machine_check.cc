// The two ways into the search of machines: ricercar::check_machines in a test, and run_machines as
// the main function of a program.
#include <ricercar/deploy.h>
#include <ricercar/machine.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.h"
#include "machine_search/machines_world.h"
#include "model/schedule.h"
#include "search/check_call.h"
#include "search/check_options.h"
#include "search/minimise_call.h"
#include "search/world_process.h"

namespace ricercar::inline machine_search {
namespace {

// A bug, and what happened in the best execution that shows it.
struct ToldBug : CheckBug {
  MachineStory story;
};

std::string how_short(const Schedule& shorter) {
  const Minimised& minimised = *shorter.minimised;
  std::string changes;
  const auto add = [&changes](const char* what, std::uint64_t before, std::uint64_t after) {
    if (before == after) return;
    changes += std::string(changes.empty() ? "" : "; ") + what + ": " + std::to_string(before) +
               " to " + std::to_string(after);
  };
  add("preemptions", minimised.before.preemptions, minimised.after.preemptions);
  add("switches", minimised.before.switches, minimised.after.switches);
  add("steps", minimised.before.steps, minimised.after.steps);
  add("faults", minimised.before.faults, minimised.after.faults);
  return "minimised (" + changes + "); as it was found: " + minimised.original + "\n";
}

Bug explain_bug(ToldBug& told, const std::string& path) {
  Bug bug;
  bug.kind = told.found.kind;
  bug.message = told.best().message;
  bug.execution = told.found.execution;
  std::string end;
  try {
    save(told, path);
    bug.schedule = path;
    end = "\nRun it again:       ricercar replay " + path + "\n";
  } catch (const UsageError& error) {
    end = "\n(the schedule was not saved: " + std::string(error.what()) + ")\n";
  }
  bug.report = bug.kind + ": " + bug.message + "\n" +
               (told.shorter ? how_short(*told.shorter) : "") + "\nWhat happened:\n" +
               told.story.lines + "\nAt the end:\n" + told.story.ending + end;
  return bug;
}

std::vector<ToldBug> told_bugs(Control& control, const CheckCall& check,
                               const machines::InitialSystem& system) {
  std::vector<ToldBug> told;
  const FoundBug* found = control.first_bug;
  for (CheckBug& bug : bugs_of(control, check)) {
    told.push_back({std::move(bug), tell_story(*found, control, system)});
    found = found->next;
  }
  return told;
}

// Everything of the search before is gone.
void make_shorter(ToldBug& told, std::uint64_t budget, const CheckCall& check,
                  const machines::InitialSystem& system) {
  const std::unique_ptr<Control> control = private_control();
  if (!ask_for_shorter(told.found, budget, control->request)) return;
  search_machines(*control, system);
  told.shorter = shorter_of(*control, told.found, check);
  if (told.shorter) told.story = tell_story(*control->first_bug, *control, system);
}

Result figures_of(const Control& control) {
  Result result;
  copy_figures(control, result);
  result.coverage = coverage_text(control);
  result.error = control.error;
  return result;
}

// In the order in which they were found. All share the budget.
void add_bugs(Result& result, std::vector<ToldBug>& bugs, const CheckOptions& asked,
              const CheckCall& check, const machines::InitialSystem& system) {
  const std::uint64_t budget = usual_minimise_budget / std::max<std::size_t>(bugs.size(), 1);
  for (ToldBug& bug : bugs) {
    if (asked.minimises) make_shorter(bug, budget, check, system);
    result.bugs.push_back(
        explain_bug(bug, schedule_path(asked.out, check, result.bugs.size() + 1)));
  }
}

// Does what the tool asked for.
[[noreturn]] void serve(Control& control, const SetUp& set_up, bool whole) {
  control.whole_program = whole;
  work_for_tool(control, WorldKind::machines, [&set_up](Control& asked) {
    const machines::InitialSystem system = machines::make_system(set_up);
    const bool replays = asked.request.mode == Mode::replay;
    (replays ? replay_machines : search_machines)(asked, system);
  });
}

// Started without the tool: the machines run on threads, until nothing is left to do. The status of
// the process: 0 without a failure, 1 with one, 2 if the program uses machines in a wrong way.
int run_by_hand(const SetUp& set_up) {
  try {
    Deployment deployment;
    set_up(deployment);
    deployment.start();
    int status = 0;
    for (const Failure& failure : deployment.finish()) {
      std::fprintf(stderr, "%s: %s (%s)\n", failure.kind.c_str(), failure.message.c_str(),
                   failure.machine.c_str());
      status = failure.kind == "usage" ? 2 : 1;
    }
    return status;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}

}  // namespace

}  // namespace ricercar::inline machine_search

namespace ricercar {

Result check_machines(const Options& options, const SetUp& set_up) {
  const CheckCall check = next_check(options.name);
  if (Control* control = control_from_tool()) {
    if (control->request.check_number == check.number) serve(*control, set_up, false);
    Result result;
    result.executions = 1;  // an earlier check of a process that replays a later one
    return result;
  }
  Result result;
  try {
    std::unique_ptr<Control> control = private_control();
    const CheckOptions asked = check_options(detail::as_abi(options));
    control->request = asked.request;
    control->request.cores = std::max(1U, std::thread::hardware_concurrency());
    const machines::InitialSystem system = machines::make_system(set_up);
    search_machines(*control, system);
    result = figures_of(*control);
    std::vector<ToldBug> bugs = told_bugs(*control, check, system);
    control.reset();
    add_bugs(result, bugs, asked, check, system);
  } catch (const std::exception& error) {
    result.error = error.what();
  }
  return result;
}

int run_machines(int, char**, const SetUp& set_up) {
  if (Control* control = control_from_tool()) serve(*control, set_up, true);
  return run_by_hand(set_up);
}

}  // namespace ricercar
