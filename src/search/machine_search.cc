#include "search/machine_search.h"

#include <atomic>
#include <chrono>
#include <cstring>
#include <mutex>
#include <thread>

#include "base/error.h"
#include "base/search_heap.h"
#include "machines/crash_guard.h"
#include "model/step_hash.h"
#include "search/decisions.h"
#include "search/found_bugs.h"
#include "search/machine_watchdog.h"
#include "search/strata.h"
#include "strategy/delaying/own_explorers.h"
#include "strategy/registry.h"

namespace ricercar {
namespace {

using machines::InitialSystem;
using machines::World;
using Clock = std::chrono::steady_clock;

constexpr double update_seconds = 0.1;

class MachineSearch {
 public:
  MachineSearch(Control& control, const InitialSystem& system)
      : control_(control), system_(system), start_(Clock::now()) {}

  void run();

 private:
  void work(Strategy& strategy);
  void run_executions(World& world, Strategy& strategy);
  bool may_go_on();
  void keep_time();
  void learn(World& world, Strategy& strategy);
  void report(const World& world, const Outcome& outcome);
  void add_bug(const World& world, const Outcome& outcome);
  void stop(Status status);
  void fail(const std::string& message);
  void update();
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  Control& control_;
  const InitialSystem& system_;
  const Clock::time_point start_;
  std::unique_ptr<Strategy> strategy_;
  std::mutex mutex_;  // guards all below, and control_
  std::atomic<bool> over_ = false;
  Status status_ = Status::finished;
  double next_update_ = 0;
  // The last one: it calls keep_time() as soon as it is there.
  MachineWatchdog watchdog_{control_.request.hang_seconds, [this] { keep_time(); }};
};

void MachineSearch::run() {
  const Request& request = control_.request;
  control_.status = Status::running;
  if (system_.has_hot_states) {
    std::strncpy(
        control_.note,
        "a monitor has hot states: that one is not the last state is checked in every "
        "execution, but a cycle that stays in one is noticed only within one execution; "
        "ses and others end executions at states that they know, so also try random or pct",
        sizeof control_.note - 1);
  }
  machines::install_crash_guard();
  const std::vector<OwnExplorer> explorers = own_explorers();
  try {
    strategy_ = make_strategy(request.strategy, request.seed,
                              {request.memory, request.scratch_file, {{}, {}, {}}, {explorers}});
    if (strategy_->as<LearnsContexts>() != nullptr) {
      throw UsageError(
          "hapset learns which statement of a thread follows which: machines have no such "
          "statements; try ses, ss or dpor");
    }
  } catch (const std::exception& error) {
    fail(error.what());
    control_.status = status_;
    return;
  }
  std::vector<std::unique_ptr<Strategy>> partners;
  auto* has_partners = strategy_->as<HasPartners>();
  while (has_partners != nullptr && partners.size() + 1 < request.cores) {
    auto partner = has_partners->partner();
    if (!partner) break;
    partners.push_back(std::move(partner));
  }
  detail::counts_atomically = !partners.empty();
  std::vector<std::thread> threads;
  for (auto& partner : partners) threads.emplace_back([this, &partner] { work(*partner); });
  work(*strategy_);
  for (std::thread& thread : threads) thread.join();
  detail::counts_atomically = false;
  update();
  control_.status = status_;
}

void MachineSearch::work(Strategy& strategy) {
  const machines::SignalStack signal_stack;
  World world(system_, control_.request.max_steps);
  world.remember_handlers();
  world.watch(over_);
  const MachineWatchdog::Watch watch(watchdog_, world);
  try {
    run_executions(world, strategy);
  } catch (const std::exception& error) {
    const std::lock_guard lock(mutex_);
    fail(error.what());
  }
  if (auto* partners = strategy.as<HasPartners>()) partners->leave();
}

void MachineSearch::run_executions(World& world, Strategy& strategy) {
  while (may_go_on()) {
    if (!strategy.begin()) return;
    world.run(strategy);
    if (!world.strategy_error().empty()) throw UsageError(world.strategy_error());
    if (world.was_stopped()) return;  // in the middle: nothing was learned
    if (auto* rest = strategy.as<WantsRest>()) rest->left(world.left());
    strategy.end(world.trace(), world.outcome());
    learn(world, strategy);
  }
}

bool MachineSearch::may_go_on() {
  if (over_.load(std::memory_order_relaxed)) return false;
  const Request& request = control_.request;
  const bool at_limit =
      request.max_executions != 0 && control_.executions >= request.max_executions;
  if (!at_limit && !control_.stop) return true;
  const std::lock_guard lock(mutex_);
  stop(Status::stopped);
  return false;
}

// Called by the watchdog: an execution may be a long one.
void MachineSearch::keep_time() {
  const double limit = control_.request.max_seconds;
  if (!control_.stop && (limit <= 0 || seconds() < limit)) return;
  const std::lock_guard lock(mutex_);
  stop(Status::stopped);
}

void MachineSearch::stop(Status status) {
  if (over_) return;
  status_ = status;
  over_ = true;
}

void MachineSearch::fail(const std::string& message) {
  if (status_ != Status::failed)
    std::strncpy(control_.error, message.c_str(), sizeof control_.error - 1);
  stop(Status::failed);
  status_ = Status::failed;
}

void MachineSearch::learn(World& world, Strategy& strategy) {
  const std::lock_guard lock(mutex_);
  // The strategy is asked in any case: others wait for it.
  auto* partners = strategy.as<HasPartners>();
  if ((partners != nullptr && !partners->counts()) || over_) return;
  ++control_.executions;
  control_.steps += world.trace().size();
  control_.transitions += world.transitions();
  control_.most_tasks = std::max(control_.most_tasks, world.task_count());
  if (world.reached_step_limit()) ++control_.truncated;
  const Outcome& outcome = world.outcome();
  if (outcome.is_bug()) report(world, outcome);
  if ((control_.executions & 63) == 0 && seconds() >= next_update_) update();
}

void MachineSearch::report(const World& world, const Outcome& outcome) {
  if (is_ignored(control_.request, outcome.kind)) return add_ignored(control_, outcome);
  if (!is_known_bug(control_, outcome)) add_bug(world, outcome);
  if (!control_.request.keep_going) stop(Status::stopped);
}

// An execution that began in the middle is run again from the start, so that what is reported is a
// whole one.
void MachineSearch::add_bug(const World& world, const Outcome& outcome) {
  std::vector<std::uint16_t> choices;
  std::vector<std::uint8_t> checks;
  world.decisions(choices, checks);
  if (choices.empty()) return add_found_bug(control_, outcome, world.trace());
  ReplayStrategy replay({choices.data(), choices.size()}, {checks.data(), checks.size()});
  World again(system_, control_.request.max_steps);
  const MachineWatchdog::Watch watch(watchdog_, again);
  replay.begin();
  const Outcome& second = again.run(replay);
  if (second.kind != outcome.kind) {
    throw Nondeterminism(again.trace().size(), 1, 0);
  }
  add_found_bug(control_, second, again.trace());
}

void MachineSearch::update() {
  next_update_ = seconds() + update_seconds;
  control_.seconds = seconds();
  const Coverage coverage = strategy_->coverage();
  control_.complete = coverage.complete && control_.truncated == 0;
  std::string text = coverage.text;
  if (control_.truncated != 0) {
    text += "; " + std::to_string(control_.truncated) + " executions were cut at the step limit";
  }
  std::strncpy(control_.coverage, text.c_str(), sizeof control_.coverage - 1);
  std::strncpy(control_.progress, progress_of(*strategy_).c_str(), sizeof control_.progress - 1);
  note_strata(control_, *strategy_);
}

// Numbers the lines and names who did what.
class LineTeller final : public machines::Story {
 public:
  explicit LineTeller(const World& world) : world_(world) {}

  void tell(std::uint32_t machine, const std::string& what) override {
    entries_.emplace_back(world_.name_of(machine), what);
    width_ = std::max(width_, entries_.back().first.size());
  }

  std::string lines() const {
    std::string text;
    for (const auto& [name, what] : entries_) {
      text += name + std::string(width_ - name.size() + 2, ' ') + what + "\n";
    }
    return text;
  }

 private:
  const World& world_;
  std::vector<std::pair<std::string, std::string>> entries_;
  std::size_t width_ = 0;
};

Array<char> shared_text(const std::string& text) {
  Array<char> result{search_allocate_array<char>(text.size()), text.size()};
  std::copy(text.begin(), text.end(), result.data);
  return result;
}

}  // namespace

void search_machines(Control& control, const InitialSystem& system) {
  MachineSearch(control, system).run();
}

void replay_machines(Control& control, const InitialSystem& system) {
  machines::install_crash_guard();
  control.status = Status::running;
  ReplayStrategy replay(control.request.decisions, control.request.checks);
  World world(system, control.request.max_steps);
  const machines::SignalStack signal_stack;
  MachineWatchdog watchdog(control.request.hang_seconds, [] {});
  const MachineWatchdog::Watch watch(watchdog, world);
  LineTeller teller(world);
  world.tell(&teller);
  replay.begin();
  const Outcome& outcome = world.run(replay);
  replay.end(world.trace(), outcome);
  const SharedAllocation shared;
  auto* recording = search_allocate_array<Recording>(1);
  *recording = {};
  recording->outcome = as_record(outcome);
  recording->divergence = replay.divergence();
  recording->divergence.found_count = 0;  // they have no names in the program
  recording->trace_hash = hash_of(world.trace());
  recording->steps = world.trace().size();
  recording->period = world.cycle();
  std::string ending;
  world.describe(ending);
  recording->story = shared_text(teller.lines());
  recording->ending = shared_text(ending);
  control.recording = recording;
  control.executions = 1;
  control.steps = world.trace().size();
  control.status = Status::finished;
}

MachineStory tell_story(const FoundBug& bug, const Request& request, const InitialSystem& system) {
  ReplayStrategy replay(bug.decisions, bug.checks);
  World world(system, request.max_steps);
  const machines::SignalStack signal_stack;
  MachineWatchdog watchdog(request.hang_seconds, [] {});
  const MachineWatchdog::Watch watch(watchdog, world);
  LineTeller teller(world);
  world.tell(&teller);
  replay.begin();
  world.run(replay);
  MachineStory story;
  story.lines = teller.lines();
  world.describe(story.ending);
  return story;
}

}  // namespace ricercar
