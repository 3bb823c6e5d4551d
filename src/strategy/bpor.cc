// Bounded partial-order reduction: preemption bounding and reduction together, without losing
// anything that the bound alone would reach (Coons, Musuvathi, McKinley, Bounded Partial-Order
// Reduction, OOPSLA 2013).
//
// Depth first. After an execution every slot of its new part is compared with the earlier ones that
// it depends on and that do not happen before it for another reason: its task gets a turn before
// each of them. That may cost a preemption that the bound does not allow, while the same behaviour
// is within the bound if the task runs before the whole block of slots that the other task ran
// without a switch; so the task gets a turn there, too (the paper's conservative points). Sleep
// sets are not used: with a bound they are not sound.
#include "strategy/depth_first.h"
#include "strategy/kept.h"
#include "strategy/registry.h"

namespace ricercar::inline strategy {
namespace {

constexpr std::uint32_t max_reduced_tasks = 64;

constexpr std::uint64_t bit(std::uint32_t task) { return std::uint64_t{1} << task; }

struct BporLevel : DecisionPoint {
  std::uint64_t wanted = 0;  // tasks that are to be explored
  std::uint64_t done = 0;
};

class BoundedReductionStrategy final
    : public Kept<BoundedReductionStrategy, DepthFirstReduction<BporLevel, CanBeKept>> {
 public:
  explicit BoundedReductionStrategy(std::uint64_t bound) : bound_(bound) {
    races_.order().find_all_conflicts();
  }

  template <typename Archive>
  void serialize(Archive& archive) {
    DepthFirstReduction::serialize(archive);
    archive(beyond_);
  }

  Coverage coverage() const override {
    const std::string bound = preemptions_text(bound_);
    const std::string count = std::to_string(executions());
    if (races_.at_limit() != 0) {
      const std::string what = "executions with at most " + bound + ", reduced";
      return {false, races_.limited_text(what, executions())};
    }
    if (!is_finished()) {
      return {false, "executions with at most " + bound + ", reduced, not yet all: " + count};
    }
    if (!beyond_) return {true, "every execution up to the order of steps that commute: " + count};
    return {true, "every execution with at most " + bound +
                      ", up to the order of steps that commute: " + count};
  }

 private:
  std::size_t extend(const ChoicePoint& point) override {
    const std::uint32_t option = default_option(point);
    BporLevel& level = points_.push(point, choice_of(point, option));
    if (level.is_value) return option;
    if (static_cast<std::uint32_t>(std::popcount(level.enabled)) != level.options) {
      throw UsageError("bpor can handle " + std::to_string(max_reduced_tasks) +
                       " threads, and this program has more: use dpor or pb");
    }
    level.wanted = level.done = bit(level.chosen);
    return option;
  }

  void learn(const Outcome&) override {
    for (const HappensBefore::Race& race : races_.races()) give_turn(race);
    if (races_.ends_early()) give_others_a_turn(races_.last_slot());
    if (races_.is_at_limit()) give_others_a_turn(races_.last_block());
  }

  void give_turn(const HappensBefore::Race& race) {
    const std::uint32_t task = index(race.task);
    if (task >= max_reduced_tasks) return;
    want(race.first, task);
    const std::uint32_t block = races_.order().block_of(race.first);
    if (block != race.first) want(block, task);
  }

  void want(std::uint32_t slot, std::uint32_t task) {
    const std::uint32_t at = point_of(slot);
    if (at == no_index) return;
    BporLevel& level = points_[at];
    level.wanted |= (level.enabled & bit(task)) != 0 ? bit(task) : level.enabled;
  }

  // A step that ends the execution depends on everything.
  void give_others_a_turn(std::uint32_t slot) {
    const std::uint32_t at = point_of(slot);
    if (at != no_index) points_[at].wanted = points_[at].enabled;
  }

  bool advance(BporLevel& level) override {
    return level.is_value ? ++level.chosen < level.options : next_task(level);
  }

  bool next_task(BporLevel& level) {
    for (std::uint64_t rest = level.wanted & ~level.done; rest != 0; rest &= rest - 1) {
      const auto task = static_cast<std::uint16_t>(std::countr_zero(rest));
      level.done |= bit(task);
      level.chosen = task;
      if (level.preemptions_with(task) <= bound_) return true;
      beyond_ = true;
    }
    return false;
  }

  const std::uint64_t bound_;
  bool beyond_ = false;  // there is something that the bound does not allow
};

}  // namespace

std::unique_ptr<Strategy> make_bpor(const Parameters& parameters) {
  return std::make_unique<BoundedReductionStrategy>(parameters.number("bound"));
}

}  // namespace ricercar::inline strategy
