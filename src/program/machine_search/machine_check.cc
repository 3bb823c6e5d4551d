// The two ways into the search of machines: ricercar::check_machines in a test, and run_machines as
// the main function of a program.
#include <ricercar/deploy.h>
#include <ricercar/machine.h>

#include <cstdio>
#include <exception>
#include <thread>

#include "base/error.h"
#include "base/files.h"
#include "machine_search/machines_world.h"
#include "model/schedule.h"
#include "search/check_call.h"
#include "search/check_options.h"
#include "search/world_process.h"

namespace ricercar::inline machine_search {
namespace {

Bug explain_bug(const FoundBug& found, Control& control, const CheckCall& check,
                const std::string& path, const machines::InitialSystem& system) {
  Bug bug;
  bug.kind = info(found.outcome.kind).name;
  bug.message = found.outcome.message;
  bug.execution = found.execution;
  const MachineStory story = tell_story(found, control, system);
  bug.report = bug.kind + ": " + bug.message + "\n\nWhat happened:\n" + story.lines +
               "\nAt the end:\n" + story.ending;
  try {
    make_folder(path.substr(0, path.rfind('/')));
    write_schedule(path, schedule_of_check(found, control.request, check));
    bug.schedule = path;
    bug.report += "\nRun it again:       ricercar replay " + path + "\n";
  } catch (const UsageError& error) {
    bug.report += "\n(the schedule was not saved: " + std::string(error.what()) + ")\n";
  }
  return bug;
}

Result result_of(Control& control, const CheckCall& check, const std::string& out,
                 const machines::InitialSystem& system) {
  Result result;
  copy_figures(control, result);
  result.coverage = coverage_text(control);
  result.error = control.error;
  std::uint64_t number = 0;
  for (const FoundBug* bug = control.first_bug; bug != nullptr; bug = bug->next) {
    const std::string path = schedule_path(out, check, ++number);
    result.bugs.push_back(explain_bug(*bug, control, check, path, system));
  }
  return result;
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
    const std::unique_ptr<Control> control = private_control();
    const CheckOptions asked = check_options(detail::as_abi(options));
    control->request = asked.request;
    control->request.cores = std::max(1U, std::thread::hardware_concurrency());
    const machines::InitialSystem system = machines::make_system(set_up);
    search_machines(*control, system);
    result = result_of(*control, check, asked.out, system);
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
