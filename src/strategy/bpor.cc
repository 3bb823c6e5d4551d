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
#include <optional>
#include <string>

#include "base/bytes.h"
#include "strategy/bpor_pieces.h"
#include "strategy/depth_first.h"
#include "strategy/kept.h"
#include "strategy/piece_cuts.h"
#include "strategy/registry.h"

namespace ricercar::inline strategy {
namespace {

constexpr std::uint32_t max_reduced_tasks = 64;

class BoundedReductionStrategy final
    : public Kept<BoundedReductionStrategy, DepthFirstReduction<BporLevel, HasPieces, CanBeKept>> {
 public:
  explicit BoundedReductionStrategy(std::uint64_t bound) : bound_(bound), plan_(bound) {
    races_.order().find_all_conflicts();
  }

  template <typename Archive>
  void serialize(Archive& archive) {
    DepthFirstReduction::serialize(archive);
    archive(beyond_, cuts_);
  }

  void end(Trace trace, const Outcome& outcome) override {
    cuts_.end_execution();
    DepthFirstReduction::end(trace, outcome);
    if (cuts_.is_full() && !is_explored()) cut_piece();
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

  // --- HasPieces ---

  bool begins_piece() const override { return cuts_.begins_piece(); }
  bool is_first_piece() const override { return cuts_.is_first_piece(); }

  void take(std::string_view bytes) override {
    const BporPiece piece = BporPiece::from(bytes);
    beyond_ = false;
    begin_behind(piece.branch_step);
    races_.order().contended_blocks().assign(piece.contended);
    points_.clear();
    for (const BporPiece::Level& level : piece.levels) points_.push_known(level.point, {});
    cuts_.take(piece.fenced, piece.levels.empty());
  }

  PieceEnd give() override {
    BporPiece end = present();
    ByteWriter writer;
    writer.number(executions());
    writer.plain(beyond_);
    writer.number(races_.at_limit());
    writer.text(end.to_bytes());
    PieceEnd result{writer.take(), {}, is_explored() || cuts_.is_full()};
    if (is_explored() || !cuts_.is_full()) return result;
    for (BporPiece& part : end.rest(bound_)) result.rest.push_back(part.to_bytes());
    return result;
  }

  std::optional<std::string> next_piece(std::uint64_t) override { return plan_.next(); }
  Place place_of(std::string_view piece) override { return plan_.place_of(piece); }
  void merge(std::string_view shown) override {
    ByteReader reader(shown);
    add_executions(reader.number());
    beyond_ |= reader.plain<bool>();
    races_.add_at_limit(reader.number());
    plan_.add(reader.text());
    beyond_ |= plan_.is_beyond();
  }
  void finish() override { set_finished(); }

 private:
  std::size_t extend(const ChoicePoint& point) override {
    const std::uint32_t option = default_option(point);
    BporLevel& level = points_.push(point, choice_of(point, option));
    if (level.is_value) return option;
    if (static_cast<std::uint32_t>(std::popcount(level.enabled)) != level.options) {
      throw UsageError("bpor can handle " + std::to_string(max_reduced_tasks) +
                       " threads, and this program has more: use dpor or pb");
    }
    level.wanted = level.done = BporLevel::bit(level.chosen);
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
    level.wanted |=
        (level.enabled & BporLevel::bit(task)) != 0 ? BporLevel::bit(task) : level.enabled;
  }

  // A step that ends the execution depends on everything.
  void give_others_a_turn(std::uint32_t slot) {
    const std::uint32_t at = point_of(slot);
    if (at != no_index) points_[at].wanted = points_[at].enabled;
  }

  bool advance(BporLevel& level) override { return level.move_on(bound_, beyond_); }

  // --- Pieces ---

  bool is_explored() const { return is_finished() || cuts_.is_fenced(); }
  bool may_move_on() override { return cuts_.may_move_on(points_.size() - 1); }

  void cut_piece() {
    if (cuts_.is_piece()) return pause();
    cuts_.cut(points_.size(), [this](std::size_t i) { return points_[i].is_open(); });
  }

  BporPiece present() const {
    BporPiece piece;
    for (const BporLevel& level : points_)
      piece.levels.push_back({level, races_.slot_start(level.step)});
    piece.branch_step = branch_step();
    piece.contended = races_.order().contended_blocks().all();
    piece.fenced = cuts_.fenced();
    piece.is_explored = is_explored();
    return piece;
  }

  const std::uint64_t bound_;
  bool beyond_ = false;  // there is something that the bound does not allow
  PieceCuts cuts_;
  BporPlan plan_;  // of one who hands pieces out
};

}  // namespace

std::unique_ptr<Strategy> make_bpor(const Parameters& parameters) {
  return std::make_unique<BoundedReductionStrategy>(parameters.number("bound"));
}

}  // namespace ricercar::inline strategy
