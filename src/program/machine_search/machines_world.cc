#include "machine_search/machines_world.h"

#include <algorithm>
#include <chrono>

#include "base/error.h"
#include "machines/crash_guard.h"
#include "search/decisions.h"
#include "search/found_bugs.h"
#include "strategy/delaying/own_explorers.h"
#include "strategy/registry.h"

namespace ricercar::inline machine_search {

MachinesWorld::MachinesWorld(Control& control, const machines::InitialSystem& system,
                             MachineWatchdog& watchdog, const std::atomic<bool>& is_over)
    : control_(control),
      system_(system),
      watchdog_(watchdog),
      is_over_(is_over),
      world_(system, control.request.max_steps) {
  world_.remember_handlers();
  world_.watch(is_over);
}

MachinesWorld::~MachinesWorld() {
  if (is_partner_) detail::counts_atomically = --partners_ > 0;
}

// The cells of states are shared by all worlds of a system.
std::unique_ptr<World> MachinesWorld::another() {
  auto world = std::make_unique<MachinesWorld>(control_, system_, watchdog_, is_over_);
  world->is_partner_ = true;
  detail::counts_atomically = ++partners_ > 0;
  return world;
}

std::unique_ptr<Strategy> MachinesWorld::new_strategy() {
  const Request& request = control_.request;
  const std::vector<OwnExplorer> explorers = own_explorers();
  std::unique_ptr<Strategy> strategy =
      make_strategy(request.strategy, request.seed,
                    {request.memory, request.scratch_file, {{}, {}, {}}, {explorers}});
  if (strategy->as<LearnsContexts>() != nullptr) {
    throw UsageError(
        "hapset learns which statement of a thread follows which: machines have no such "
        "statements; try ses, ss or dpor");
  }
  if (!request.goes_on) return strategy;
  return std::make_unique<PrefixedStrategy>(
      std::vector<std::uint16_t>(request.decisions.begin(), request.decisions.end()),
      std::move(strategy));
}

void MachinesWorld::keep_story() {
  story_ = std::make_unique<StoryKeeper>(world_);
  world_.tell(story_.get());
}

KeptStory MachinesWorld::story() const {
  KeptStory story = story_->kept;
  world_.show_ending([&story](const RecordedMachine& machine) { story.add(machine); });
  return story;
}

void MachinesWorld::record(Recording& recording) const {
  recording.period = world_.cycle();
  story().copy_to(recording);
}

void MachinesWorld::begin_search() { on_thread_ = std::make_unique<OnThread>(watchdog_, world_); }
void MachinesWorld::end_search() { on_thread_ = nullptr; }

ExecutionEnd MachinesWorld::run(Strategy& strategy) {
  ExecutionEnd end;
  end.outcome = &world_.run(strategy);
  end.trace = world_.trace();
  end.transitions = world_.transitions();
  end.tasks = world_.task_count();
  end.reached_step_limit = world_.reached_step_limit();
  end.has_findings = end.outcome->is_bug();
  end.was_cut = world_.was_cut() && !end.has_findings;
  end.was_stopped = world_.was_stopped();
  end.has_error = !world_.strategy_error().empty();
  return end;
}

std::vector<Finding> MachinesWorld::findings() { return {{world_.outcome(), world_.trace(), {}}}; }

bool MachinesWorld::leaves_out(const Outcome& finding) {
  if (!is_ignored(control_.request, finding.kind)) return false;
  add_ignored(control_, finding);
  return true;
}

Finding MachinesWorld::from_start(const Finding& finding) {
  std::vector<std::uint16_t> choices;
  std::vector<std::uint8_t> checks;
  world_.decisions(choices, checks);
  if (choices.empty()) return finding;
  ReplayStrategy replay({choices.data(), choices.size()}, {checks.data(), checks.size()});
  again_ = std::make_unique<machines::World>(system_, control_.request.max_steps);
  const MachineWatchdog::Watch watch(watchdog_, *again_);
  replay.begin();
  const Outcome& second = again_->run(replay);
  if (second.kind != finding.outcome.kind) throw Nondeterminism(again_->trace().size(), 1, 0);
  return {second, again_->trace(), {}};
}

namespace {

constexpr double tick_seconds = 0.05;

}  // namespace

MachineWatchdog::MachineWatchdog(double hang_seconds, std::function<void()> tick)
    : hang_seconds_(hang_seconds), tick_(std::move(tick)), thread_([this] { run(); }) {}

MachineWatchdog::~MachineWatchdog() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  ended_.notify_one();
  thread_.join();
}

void MachineWatchdog::add(const machines::World& world) {
  const std::lock_guard lock(mutex_);
  watched_.push_back({&world, ::pthread_self()});
}

void MachineWatchdog::remove(const machines::World& world) {
  const std::lock_guard lock(mutex_);
  std::erase_if(watched_, [&world](const Watched& watched) { return watched.world == &world; });
}

void MachineWatchdog::run() {
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, std::chrono::duration<double>(tick_seconds),
                          [this] { return over_; })) {
    for (Watched& watched : watched_) look_at(watched);
    lock.unlock();
    tick_();
    lock.lock();
  }
}

// A thread that is in the strategy, not in a handler, takes no notice.
void MachineWatchdog::look_at(Watched& watched) const {
  const std::uint64_t progress = watched.world->progress().load(std::memory_order_relaxed);
  watched.unchanged_seconds =
      progress == watched.progress ? watched.unchanged_seconds + tick_seconds : 0;
  watched.progress = progress;
  if (hang_seconds_ <= 0 || watched.unchanged_seconds < hang_seconds_) return;
  watched.unchanged_seconds = 0;
  machines::interrupt_handler(watched.thread);
}

}  // namespace ricercar::inline machine_search
