#include "machines/world.h"

#include <algorithm>
#include <bit>

#include "base/error.h"
#include "machines/activation.h"
#include "model/decision_check.h"
#include "model/dependence.h"

namespace ricercar::machines {
namespace {

// Handlers that a machine may run without coming to a scheduling point.
constexpr int longest_slot = 100000;

MachinePhase phase_of(const Cell& cell) {
  switch (cell.phase) {
    case Phase::receiving:
      return MachinePhase::receiving;
    case Phase::halted:
      return MachinePhase::halted;
    case Phase::crashed:
      return MachinePhase::crashed;
    case Phase::timer:
      return MachinePhase::timer;
    default:
      return MachinePhase::running;
  }
}

}  // namespace

// Not by recursion: a history may be long.
void Decided::destroy(const Decided* last) {
  while (last != nullptr) {
    auto* dead = const_cast<Decided*>(last);
    const Decided* before = dead->before.release();
    delete dead;
    last = before != nullptr && before->drop() ? before : nullptr;
  }
}

World::World(const InitialSystem& system, std::uint64_t max_steps)
    : system_(system), max_steps_(max_steps) {
  restore(system.start);
}

void World::restore(const Snapshot& from) {
  cells_.restore(from.cells);
  monitors_.restore(from.monitors);
  sum_ = from.sum;
  running_ = from.running;
  history_ = from.history;
  decided_.clear();
  steps_ = from.steps;
  enabled_.clear();
  for (std::uint64_t rest = from.enabled; rest != 0; rest &= rest - 1) {
    enabled_.insert(task_id(static_cast<std::uint32_t>(std::countr_zero(rest))));
  }
  for (std::uint32_t i = 64; i < cells_.size(); ++i) {
    if (cells_[i] != nullptr && cells_[i]->runs) enabled_.insert(task_id(i));
  }
}

std::size_t Snapshot::bytes() const {
  // About two cells are its own, the others it shares.
  return sizeof(*this) + (cells.size() + monitors.size()) * sizeof(Cell*) + 3 * sizeof(Cell);
}

void Snapshot::prefetch(std::uint32_t part, TaskId task) const {
  if (part == 0) {
    __builtin_prefetch(cells.all().data());
    __builtin_prefetch(monitors.all().data());
    return;
  }
  const Cell* cell = index(task) < cells.size() ? cells[index(task)] : nullptr;
  if (cell == nullptr) return;
  if (part == 1) {
    for (std::size_t line = 0; line < sizeof(Cell); line += 64) {
      __builtin_prefetch(reinterpret_cast<const char*>(cell) + line);
    }
  } else {
    __builtin_prefetch(cell->object.get());
    __builtin_prefetch(cell->queue.data());
  }
}

std::unique_ptr<SavedState> World::save() {
  extend_history();
  auto saved = std::make_unique<Snapshot>();
  saved->cells.assign(cells_.all());
  saved->monitors.assign(monitors_.all());
  saved->sum = sum_;
  saved->running = running_;
  saved->enabled = enabled_.first_word();
  saved->steps = steps_;
  saved->history = history_;
  return saved;
}

const Outcome& World::run(Strategy& strategy) {
  strategy_ = &strategy;
  states_ = strategy.as<KnowsStates>();
  keeps_history_ = states_ != nullptr;
  hashes_ = (states_ != nullptr && states_->wants_fingerprints()) || system_.has_hot_states;
  shows_operations_ = strategy.as<IgnoresOperations>() == nullptr;
  const SavedState* origin = states_ != nullptr ? states_->origin() : nullptr;
  trace_.clear();
  transitions_ = 0;
  forget_hot_states();
  hot_since_.clear();
  cycle_ = 0;
  outcome_ = {};
  strategy_error_.clear();
  over_ = cut_ = reached_limit_ = stopped_ = false;
  restore(origin != nullptr ? static_cast<const Snapshot&>(*origin) : system_.start);
  while (!over_) {
    if (!visit()) break;
    if (enabled_.empty()) {
      end_quietly();
      break;
    }
    if (steps_ >= max_steps_) {
      reached_limit_ = true;
      break;
    }
    if (stop_ != nullptr && stop_->load(std::memory_order_relaxed)) {
      stopped_ = true;
      break;
    }
    const TaskId task = pick();
    if (over_) break;
    progress_.store(progress_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    step(task);
    ++transitions_;
  }
  return outcome_;
}

bool World::visit() {
  if (system_.has_hot_states) look_for_cycle();
  if (over_) return false;
  if (states_ == nullptr) return true;
  try {
    if (states_->visit(
            {fingerprint(), enabled_, running_, trace_, this, hot_monitors(0), hot_monitors(1)})) {
      return true;
    }
    cut_ = true;
  } catch (const std::exception& error) {
    strategy_error_ = error.what();
  }
  over_ = true;
  return false;
}

std::uint32_t World::ask(const ChoicePoint& point) {
  try {
    const std::size_t chosen = strategy_->choose(point);
    if (chosen != Strategy::cut) {
      RICERCAR_CHECK(chosen < point.options.size());
      return static_cast<std::uint32_t>(chosen);
    }
    cut_ = true;
  } catch (const std::exception& error) {
    strategy_error_ = error.what();
  }
  over_ = true;
  return 0;
}

TaskId World::pick() {
  const std::uint32_t count = enabled_.size();
  options_ = static_cast<std::uint16_t>(count);
  preempts_ = false;
  if (count == 1) return enabled_.first();
  if (pending_.size() < cells_.size()) pending_.resize(cells_.size());
  if (shows_operations_) {
    enabled_.for_each(
        [this](TaskId task) { pending_[index(task)] = cells_[index(task)]->pending(index(task)); });
  }
  const std::uint32_t chosen = ask({ChoiceKind::schedule, steps_, running_,
                                    OptionList(&enabled_, count, pending_.data()), trace_});
  const TaskId task = enabled_.nth(chosen);
  preempts_ = running_ != no_task && task != running_;
  return task;
}

Cell& World::own(std::uint32_t number) {
  if (std::find(changed_.begin(), changed_.end(), number) == changed_.end()) {
    changed_.push_back(number);
    if (hashes_) sum_ = sum_ - cells_[number]->hash;
  }
  return cells_.own(number);
}

Cell& World::own_monitor(std::uint32_t number) {
  if (std::find(changed_monitors_.begin(), changed_monitors_.end(), number) ==
      changed_monitors_.end()) {
    changed_monitors_.push_back(number);
    if (hashes_) sum_ = sum_ - monitors_[number]->hash;
  }
  return monitors_.own(number);
}

void World::update() {
  for (const std::uint32_t number : changed_) {
    Cell& cell = cells_.own(number);
    cell.update(number, hashes_);
    if (hashes_) sum_ = sum_ + cell.hash;
    if (cell.runs) {
      enabled_.insert(task_id(number));
    } else {
      enabled_.erase(task_id(number));
    }
  }
  for (const std::uint32_t number : changed_monitors_) {
    Cell& cell = monitors_.own(number);
    cell.update(max_tasks + number, hashes_);
    if (hashes_) sum_ = sum_ + cell.hash;
  }
  changed_.clear();
  changed_monitors_.clear();
}

Step& World::note(OperationKind kind, std::uint32_t task, std::uint64_t object,
                  std::uint64_t value) {
  Step& step = trace_.emplace_back();
  step = {};
  step.object = object;
  step.value = value;
  step.task = task_id(task);
  step.kind = kind;
  step.options = options_;
  if (preempts_) step.flags |= step_preempts;
  if (options_ != 0 && kind != OperationKind::dequeue) step.open = needs_life;
  options_ = 0;
  preempts_ = false;
  ++steps_;
  if (step.options > 1) remember_decision(step);
  return step;
}

// Something that changes another machine or a timer.
void World::note_to(OperationKind kind, std::uint32_t task, std::uint32_t target,
                    std::uint64_t value) {
  Step& step = note(kind, task, objects::queue(target), value);
  if (cells_[target] && cells_[target]->runs) step.open |= open_to_one;
}

// A crash ends what a machine is doing, and a restart begins it anew: neither commutes with
// anything that the machine does.
void World::note_life(OperationKind kind, std::uint32_t task, std::uint32_t target) {
  note_to(kind, task, target, 0);
  note(kind, task, objects::task(target), 0);
}

std::vector<Step> World::left() const {
  std::vector<Step> steps;
  for (std::uint32_t i = 0; i < cells_.size(); ++i) {
    if (!cells_[i] || (cells_[i]->phase == Phase::halted && !cells_[i]->runs)) continue;
    Step& step = steps.emplace_back();
    step = {};
    step.task = task_id(i);
    step.kind = OperationKind::dequeue;
    step.object = objects::queue(i);
    step.flags = step_blocked;
    if (!enabled_.contains(step.task)) continue;
    const Operation next = cells_[i]->pending(i);
    step.kind = next.kind;
    step.object = next.object;
    step.flags = 0;
  }
  return steps;
}

void World::remember_decision(const Step& step) {
  if (!keeps_history_) return;
  const bool is_value = (step.flags & step_value) != 0;
  decided_.push_back({static_cast<std::uint16_t>(is_value ? step.value : index(step.task)),
                      decision_check(step.kind, step.task, step.options)});
}

void World::extend_history() {
  for (const Decision& decision : decided_) {
    auto* node = new Decided;
    node->before = std::move(history_);
    node->decision = decision;
    history_ = History(node);
  }
  decided_.clear();
}

void World::decisions(std::vector<std::uint16_t>& choices,
                      std::vector<std::uint8_t>& checks) const {
  std::vector<Decision> all(decided_.rbegin(), decided_.rend());
  for (const Decided* node = history_.get(); node != nullptr; node = node->before.get()) {
    all.push_back(node->decision);
  }
  for (std::size_t i = all.size(); i-- > 0;) {
    choices.push_back(all[i].choice);
    checks.push_back(all[i].check);
  }
}

void World::step(TaskId task) {
  const std::uint32_t number = index(task);
  if (cells_[number]->phase == Phase::timer) {
    fire(number);
  } else {
    run_machine(number);
  }
  update();
  running_ = enabled_.contains(task) ? task : no_task;
}

// Up to and including the next effect that is a scheduling point, or until it has to wait.
void World::run_machine(std::uint32_t number) {
  own(number);
  for (int i = 0; i < longest_slot; ++i) {
    while (cells_[number]->has_effects()) {
      Cell& cell = own(number);
      const detail::Reference<EffectList> effects = cell.effects;
      const Effect& effect = effects->all[cell.next_effect++];
      if (cell.next_effect == effects->all.size()) {
        cell.clear_effects();
        cell.progress = nullptr;
      }
      const bool is_point = perform(number, effect);
      note_halt(number);
      if (over_ || is_point) return;
    }
    if (!run_next_handler(number)) return;
    if (over_) return;
  }
  fail(OutcomeKind::livelock,
       name_of(number) + " handles events forever without a scheduling point", task_id(number));
}

// False: the machine has to wait.
bool World::run_next_handler(std::uint32_t number) {
  Cell& cell = own(number);
  if (cell.phase == Phase::fresh) {
    // What the machine did before it was crashed could have come before the crash.
    note(cell.restarted ? OperationKind::dequeue : OperationKind::start, number,
         objects::queue(number), 0);
    if (story_) {
      const std::string state(cell.type->states[0].name);
      story_->tell({.kind = ActKind::start, .machine = number, .state = state.c_str()});
    }
    run_handler(number, cell, {});
    tell_condition(number);
    return true;
  }
  const std::size_t next = cell.phase == Phase::halted || cell.phase == Phase::crashed
                               ? cell.queue.size()
                               : cell.next_event();
  if (next == cell.queue.size()) {
    if (options_ == 0)
      note(OperationKind::dequeue, number, objects::queue(number), 0).flags |= step_failed;
    return false;
  }
  const Event event = cell.queue[next];
  cell.queue.erase(cell.queue.begin() + static_cast<std::ptrdiff_t>(next));
  Step& step = note(OperationKind::dequeue, number, objects::queue(number), event->type->number);
  step.open = open_to_one;
  if (story_) tell_taken(number, cell, event);
  run_handler(number, cell, event);
  tell_condition(number);
  return true;
}

void World::tell_taken(std::uint32_t number, const Cell& cell, const Event& event) const {
  const bool receives = cell.phase == Phase::receiving;
  // In the entry of its first state a machine may wait before it is in that state.
  const std::uint16_t top = cell.stack.empty() ? 0 : cell.stack.back();
  const std::string state(cell.type->states[top].name);
  const std::string text = text_of(event);
  story_->tell({.kind = receives ? ActKind::receive : ActKind::handle,
                .machine = number,
                .event = text.c_str(),
                .state = state.c_str()});
}

void World::tell_condition(std::uint32_t number) const {
  const Cell* cell = cells_[number];
  if (!story_ || cell == nullptr || cell->phase == Phase::timer || cell->phase == Phase::halted)
    return;
  std::string state;
  std::string variables;
  if (!cell->stack.empty()) state = cell->type->states[cell->stack.back()].name;
  cell->type->describe(cell->object->variables, variables);
  story_->becomes({0, number, state.c_str(), variables.c_str()});
}

void World::fail(OutcomeKind kind, std::string message, TaskId task) {
  outcome_.kind = kind;
  outcome_.message = std::move(message);
  outcome_.task = task;
  over_ = true;
}

// Nobody can go on.
void World::end_quietly() {
  for (std::uint32_t i = 0; i < cells_.size(); ++i) {
    if (!cells_[i] || cells_[i]->phase != Phase::receiving) continue;
    std::string wanted;
    for (const detail::EventType* type : cells_[i]->suspension->wanted) {
      wanted += (wanted.empty() ? "" : " or ") + std::string(type->name);
    }
    return fail(OutcomeKind::deadlock,
                name_of(i) + " waits to receive " + wanted + ", and nobody can go on", task_id(i));
  }
  if (const std::string hot = hot_monitor(); !hot.empty()) {
    fail(OutcomeKind::property, hot + " at the end: nobody can go on", no_task);
  }
}

std::string World::name_of(std::uint32_t machine) const {
  const Cell* cell = machine < cells_.size() ? cells_[machine] : nullptr;
  if (cell == nullptr) return "#" + std::to_string(machine);
  if (cell->phase == Phase::timer) {
    return "timer of " + name_of(cell->owner) + " (" + std::string(cell->timer_event->name) + ")";
  }
  return std::string(cell->type->name) + "#" + std::to_string(machine);
}

void World::show_ending(const std::function<void(const RecordedMachine&)>& show) const {
  for (std::uint32_t i = 0; i < cells_.size(); ++i) {
    if (cells_[i] == nullptr) continue;
    const Cell& cell = *cells_[i];
    const std::string name = name_of(i);
    std::string state;
    std::string variables;
    std::string waiting;
    if (cell.phase != Phase::timer && cell.phase != Phase::halted) {
      if (!cell.stack.empty()) state = cell.type->states[cell.stack.back()].name;
      cell.type->describe(cell.object->variables, variables);
      for (const Event& event : cell.queue) waiting += ' ' + text_of(event);
    }
    show({i, phase_of(cell), name.c_str(), state.c_str(), variables.c_str(), waiting.c_str()});
  }
}

}  // namespace ricercar::machines
