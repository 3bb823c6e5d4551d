// Handlers of machines: running them, or doing what is known of them.
#include "machines/activation.h"
#include "machines/known_handlers.h"
#include "machines/world.h"
#include "model/dependence.h"

namespace ricercar::machines {

// `event` is what the machine has taken from its queue; null: it starts.
void World::run_handler(std::uint32_t number, Cell& cell, const Event& event) {
  const bool may_know = known_ && story_ == nullptr;
  if (may_know) cell.hash_object();
  if (!may_know || !KnownHandlers::is_exact(cell, event)) {
    run_unknown_handler(number, cell, event, {});
    return;
  }
  Hash key = KnownHandlers::key(number, cell, event);
  chosen_.clear();
  const KnownHandler* known = known_->find(key);
  while (known != nullptr && known->choices != 0) {
    chosen_.push_back({decide_value(number, known->choices), {}});
    if (over_) return;
    key = KnownHandlers::behind(key, chosen_.back().number);
    known = known_->find(key);
  }
  if (known != nullptr && recall_handler(number, cell, *known)) return;
  const HandlerRun run = run_unknown_handler(number, cell, event, chosen_);
  if (run.can_be_known) remember_handler(key, cell, run);
}

std::uint32_t World::decide_value(std::uint32_t number, std::uint32_t n) {
  if (n == 1) return 0;
  const Operation operation{0, 0, OperationKind::choose, 0};
  const TaskId task = task_id(number);
  const std::uint32_t chosen =
      ask({ChoiceKind::value, steps_, task, OptionList(task, n, &operation), trace_});
  if (over_) return 0;
  Step& step = note(OperationKind::choose, number, 0, chosen);
  step.flags |= step_value;
  step.options = static_cast<std::uint16_t>(n);
  remember_decision(step);
  if (story_) {
    story_->tell({.kind = ActKind::choose, .machine = number, .chosen = chosen, .options = n});
  }
  return chosen;
}

// `chosen` is what the handler will be told when it chooses.
World::HandlerRun World::run_unknown_handler(std::uint32_t number, Cell& cell, const Event& event,
                                             std::span<const Told> chosen) {
  const std::shared_ptr<const Suspension> suspension = std::move(cell.suspension);
  cell.suspension = nullptr;
  const bool is_start = suspension ? suspension->is_start : cell.phase == Phase::fresh;
  const Event handled = suspension ? suspension->event : event;
  std::vector<Told> told;
  if (suspension) {
    told = suspension->told;
    told.push_back({0, event});
  }
  told.insert(told.end(), chosen.begin(), chosen.end());
  // What the machine was before is needed if the handler has to wait.
  const ObjectRef object_before = cell.object;
  const Hash hash_before = cell.object_hash;
  const bool was_hashed = cell.object_is_hashed;
  const StateStack stack_before = cell.stack;
  cell.object = cell.type->clone(*object_before);
  cell.object_is_hashed = false;
  cell.phase = Phase::ready;
  Activation activation(*this, number, cell, std::move(told), suspension ? suspension->effects : 0);
  activation.run(is_start ? Event{} : handled);
  cell.effects = activation.take_effects();
  if (activation.halted()) {
    cell.phase = Phase::halted;
    cell.stack.clear();
    end_of_halting_handler(number, cell);
  } else if (activation.suspended() && !over_) {
    auto waiting = std::make_shared<Suspension>();
    waiting->is_start = is_start;
    waiting->event = handled;
    waiting->told = std::move(activation.told());
    waiting->effects = activation.effect_count();
    waiting->wanted = std::move(activation.wanted());
    waiting->seal();
    cell.object = object_before;
    cell.object_hash = hash_before;
    cell.object_is_hashed = was_hashed;
    cell.stack = stack_before;
    cell.suspension = std::move(waiting);
    cell.phase = Phase::receiving;
  } else if (cell.type->crash != nullptr && cell.has_effects()) {
    auto progress = std::make_shared<Progress>(Progress{object_before,
                                                        stack_before,
                                                        is_start,
                                                        handled,
                                                        std::move(activation.told()),
                                                        activation.effect_count(),
                                                        {}});
    progress->seal();
    cell.progress = std::move(progress);
  }
  return {std::move(activation.choices()), activation.can_be_known() && !over_};
}

void World::end_of_halting_handler(std::uint32_t number, Cell& cell) {
  cell.queue.clear();
  note_halt(number);
}

void World::remember_handler(Hash key, Cell& cell, const HandlerRun& run) {
  // The steps that make a timer would come in another order.
  const bool chooses = !chosen_.empty() || !run.choices.empty();
  if (chooses && KnownHandlers::uses_timers(cell)) return;
  for (const HandlerRun::Choice& choice : run.choices) {
    known_->add_choice(key, choice.options);
    key = KnownHandlers::behind(key, choice.chosen);
  }
  cell.hash_object();
  known_->add_result(key, cell);
}

// False: it uses a machine or a timer that is not there.
bool World::recall_handler(std::uint32_t number, Cell& cell, const KnownHandler& known) {
  if (known.machines > cells_.size()) return false;
  detail::Reference<EffectList> effects = known.effects;
  if (known.uses_timers && !find_timers(number, effects)) return false;
  known.put_into(cell);
  cell.effects = std::move(effects);
  if (cell.phase == Phase::halted) end_of_halting_handler(number, cell);
  return true;
}

// The timers of effects that come from another state. False: one is not there.
bool World::find_timers(std::uint32_t number, detail::Reference<EffectList>& effects) const {
  bool is_own = false;
  for (std::size_t i = 0; i < effects->all.size(); ++i) {
    const Effect& effect = effects->all[i];
    if (effect.kind != Effect::start_timer && effect.kind != Effect::stop_timer) continue;
    const std::uint32_t timer = find_timer(number, static_cast<std::uint32_t>(effect.what));
    if (timer == cells_.size()) return false;
    if (timer == effect.target) continue;
    if (!is_own) effects = detail::Reference<EffectList>(new EffectList(*effects));
    is_own = true;
    effects->all[i].target = timer;
  }
  if (is_own) effects->seal();
  return true;
}

// A machine that halts still has the effects of its last handler; then it is gone.
void World::note_halt(std::uint32_t number) {
  if (cells_[number]->phase != Phase::halted || cells_[number]->has_effects()) return;
  note(OperationKind::halt, number, objects::queue(number), 0);
  if (story_) story_->tell({.kind = ActKind::halt, .machine = number});
}

}  // namespace ricercar::machines
