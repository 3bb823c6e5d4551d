// Dynamic partial-order reduction: one complete execution for each Mazurkiewicz trace. Abdulla,
// Aronis, Jonsson, Sagonas, Source Sets: A Foundation for Optimal Dynamic Partial Order Reduction,
// JACM 64(4), 2017 (POPL 2014): sleep sets and wake-up trees.
//
// After an execution every race in its new part (happens_before.h) is reversed: a sequence of
// decisions in which the second slot comes before the first is put into the tree of the point where
// the first one was chosen, unless what sleeps there covers it already. The search goes on at the
// deepest point with a tree.
//
// Departures:
// - A sequence is what the second slot needs, then the second slot, and then only as much of the
//   rest of the execution as it takes to wake everything that sleeps (the paper: all of it). From
//   its end on nothing sleeps, so the search goes on freely and no execution is blocked by its
//   sleep set.
// - An operation that has to wait races with the last one that found the object open to it (the
//   paper's model has no such operations); also if it never came to it because of a deadlock.
// - The alternatives of a value are all explored, as in a plain depth-first search. A sequence that
//   passes a value names the alternative.
// - A step that ends the execution (exit, a bug) depends on everything: whoever could have run
//   instead of it gets a turn before it. Nothing was explored behind it, so that it sleeps does not
//   mean that what others do, and then it, is known.
// - A sequence may turn out to be impossible on the way, because time, fairness and spinning keep
//   tasks back. Then the search goes on freely from there.
// - An execution that is cut at the step limit has no end: what each task would have done next
//   races with what came before, and whoever could have run gets a turn. There is no promise then.
#include "base/bytes.h"
#include "strategy/depth_first.h"
#include "strategy/dpor_pieces.h"
#include "strategy/estimate.h"
#include "strategy/kept.h"
#include "strategy/piece_cuts.h"
#include "strategy/registry.h"
#include "strategy/reversal.h"
#include "strategy/wakeup_guide.h"
#include "strategy/wakeup_insertion.h"

namespace ricercar::inline strategy {
namespace {

class PartialOrderStrategy final
    : public Kept<PartialOrderStrategy,
                  DepthFirstReduction<DporLevel, ShowsProgress, HasPieces, CanBeKept>> {
 public:
  PartialOrderStrategy() : Kept(ExecutionRaces::Left::blocked_first) {}

  template <typename Archive>
  void serialize(Archive& archive) {
    DepthFirstReduction::serialize(archive);
    archive(plain(sleepers_), trees_, guide_, planned_, cut_);
    archive(cuts_);
  }

  void end(Trace trace, const Outcome& outcome) override {
    cuts_.end_execution();
    DepthFirstReduction::end(trace, outcome);
    if (cuts_.is_full() && !is_explored()) cut_piece();
  }

  Coverage coverage() const override {
    const std::uint64_t traces = executions() - cut_;
    if (races_.at_limit() != 0) return {false, races_.limited_text("Mazurkiewicz traces", traces)};
    std::string text =
        is_finished() ? "every Mazurkiewicz trace: " : "Mazurkiewicz traces so far: ";
    text += std::to_string(traces);
    if (cut_ != 0) text += "; " + std::to_string(cut_) + " executions were cut as redundant";
    return {is_finished(), text};
  }

  // An estimate as Knuth's (Mathematics of Computation 29, 1975), from the points of the current
  // execution: how many decisions were taken there, and how many are waiting.
  std::string progress() const override {
    if (is_finished() || is_shared_out_) return "";
    double explored = 0;
    double weight = 1;
    for (const DporLevel& level : points_) {
      weight /= level.done + 1 + left_at(level);
      explored += weight * level.done;
    }
    return estimate_text(executions() - cut_, explored, "traces");
  }

  // --- HasPieces ---

  bool begins_piece() const override { return cuts_.begins_piece(); }
  bool is_first_piece() const override { return cuts_.is_first_piece(); }

  void take(std::string_view bytes) override {
    const DporPiece piece = dpor_piece_from(bytes);
    cut_ = 0;
    begin_behind(piece.branch_step);
    races_.order().contended_blocks().assign(piece.contended);
    load_levels(piece);
    cuts_.take(piece.fenced, piece.levels.empty());
  }

  PieceEnd give() override {
    const DporPiece end = present();
    ByteWriter writer;
    writer.number(executions());
    writer.number(cut_);
    writer.number(races_.at_limit());
    writer.text(to_bytes(end));
    PieceEnd result{writer.take(), {}, is_explored() || cuts_.is_full()};
    if (is_explored() || !cuts_.is_full()) return result;
    for (const DporPiece& part : end.rest()) result.rest.push_back(to_bytes(part));
    return result;
  }

  std::optional<std::string> next_piece(std::uint64_t) override {
    is_shared_out_ = true;
    return plan_.next();
  }
  Place place_of(std::string_view piece) override { return plan_.place_of(piece); }
  bool is_right(std::string_view piece, std::string_view shown) override {
    return plan_.is_right(piece, read(shown).end);
  }
  void merge(std::string_view shown) override {
    const Shown read = PartialOrderStrategy::read(shown);
    add_executions(read.executions);
    cut_ += read.cut;
    races_.add_at_limit(read.at_limit);
    plan_.add(read.end);
  }
  void finish() override { set_finished(); }

 private:
  double left_at(const DporLevel& level) const {
    if (level.is_value) return level.options - 1.0 - level.done;
    return trees_.count(level.tree);
  }

  // --- While an execution runs ---

  std::size_t extend(const ChoicePoint& point) override {
    if (!guide_.follow(point)) return stop();
    if (const std::optional<WakeupGuide::Decision> planned = guide_.take(point)) {
      push(point, planned->choice).tree = planned->others;
      return option_of(point, planned->choice);
    }
    std::uint32_t option = default_option(point);
    if (point.kind == ChoiceKind::schedule) option = guide_.awake_option(point, option);
    if (option == no_index) return stop();
    push(point, choice_of(point, option));
    return option;
  }

  DporLevel& push(const ChoicePoint& point, std::uint16_t chosen) {
    const std::vector<Sleeper>& asleep = guide_.sleep().all();
    sleepers_.insert(sleepers_.end(), asleep.begin(), asleep.end());
    DporLevel& level = points_.push(point, chosen);
    level.sleepers = static_cast<std::uint32_t>(sleepers_.size());
    level.first = chosen;
    return level;
  }

  // The newest decision is an impossible one.
  std::size_t miss(const ChoicePoint&) override { return stop(); }

  std::size_t stop() {
    ++cut_;
    return give_up();
  }

  // --- Races ---

  void learn(const Outcome&) override {
    for (const HappensBefore::Race& race : races_.races()) reverse(race);
    if (races_.ends_early()) give_others_a_turn(races_.last_slot());
    if (races_.is_at_limit()) give_others_a_turn(races_.last_block());
  }

  std::span<const Sleeper> sleepers_at(std::uint32_t level) const {
    const std::uint32_t begin = level == 0 ? 0 : points_[level - 1].sleepers;
    return {sleepers_.data() + begin, points_[level].sleepers - begin};
  }

  void reverse(const HappensBefore::Race& race) {
    const std::uint32_t at = point_of(race.first);
    if (at == no_index) return;  // nobody else could run there
    reversal_.begin(race);
    // The scheduler itself keeps tasks back: time, fairness, spinning.
    if (!points_[at].may_choose(reversal_[0].task)) return;
    for (const Sleeper& sleeper : sleepers_at(at)) {
      if (!sleeper.ends && reversal_.is_weak_initial(sleeper.task, sleeper.footprint)) return;
    }
    insertion_.insert(points_[at].tree, reversal_, sleepers_at(at), races_.trace());
  }

  void give_others_a_turn(std::uint32_t last) {
    const std::uint32_t at = point_of(last);
    if (at == no_index) return;
    const std::uint16_t task = points_[at].chosen;
    const bool exits = last == races_.last_slot() && races_.ends_with_exit();
    for (const Step& step : races_.left()) {
      const auto other = static_cast<std::uint16_t>(index(step.task));
      if (other == task || (step.flags & step_blocked) != 0 || !wants_turn(at, other)) continue;
      Footprint footprint;
      footprint.add_pending(step);
      const std::uint32_t turn = trees_.append(points_[at].tree, other, false, footprint);
      if (exits) trees_.append_child(turn, task, false, Footprint::all());
    }
  }

  // It could run at the point, is not going to, and does not sleep.
  bool wants_turn(std::uint32_t at, std::uint16_t task) const {
    if (!points_[at].may_choose(task)) return false;
    if (trees_.find(points_[at].tree, task, false) != no_index) return false;
    const std::span<const Sleeper> sleepers = sleepers_at(at);
    return std::none_of(sleepers.begin(), sleepers.end(),
                        [task](const Sleeper& sleeper) { return sleeper.task == task; });
  }

  // --- The next execution ---

  bool advance(DporLevel& level) override {
    sleepers_.resize(level.sleepers);
    ++level.done;
    if (level.is_value ? next_value(level) : next_task(level)) return true;
    trees_.drop(level.tree);
    return false;
  }

  bool next_task(DporLevel& level) {
    if (level.tree == no_index) return false;
    sleepers_.push_back({level.chosen, footprint_at(level.step), ends_at(level.step)});
    level.sleepers = static_cast<std::uint32_t>(sleepers_.size());
    level.chosen = trees_[level.tree].choice;
    planned_ = trees_.take(level.tree, level.tree);
    return true;
  }

  bool next_value(DporLevel& level) {
    if (level.done >= level.options) return false;
    level.chosen = level.next_alternative();
    const std::uint32_t known = trees_.find(level.tree, level.chosen, true);
    planned_ = known == no_index ? no_index : trees_.take(level.tree, known);
    return true;
  }

  // Of the slot that was chosen there; an execution that was lost tells nothing.
  Footprint footprint_at(std::uint32_t step) const {
    const std::uint32_t slot = races_.order().slot_at(step);
    return slot == no_index ? Footprint::all() : races_.order().slots()[slot].footprint;
  }

  // By itself, not because of the step limit.
  bool ends_at(std::uint32_t step) const {
    if (!races_.ends_early() || races_.is_at_limit()) return false;
    return races_.order().slot_at(step) == races_.last_slot();
  }

  void resume() override {
    const auto last = static_cast<std::uint32_t>(points_.size() - 1);
    guide_.start(branch_step(), planned_, sleepers_at(last));
  }

  // --- Pieces ---

  struct Shown {
    std::uint64_t executions, cut, at_limit;
    std::string_view end;
  };
  static Shown read(std::string_view shown) {
    ByteReader reader(shown);
    Shown result{};
    result.executions = reader.number();
    result.cut = reader.number();
    result.at_limit = reader.number();
    result.end = reader.text();
    return result;
  }

  bool is_explored() const { return is_finished() || cuts_.is_fenced(); }
  bool may_move_on() override { return cuts_.may_move_on(points_.size() - 1); }

  void cut_piece() {
    if (cuts_.is_piece()) return pause();
    cuts_.cut(points_.size(), [this](std::size_t i) {
      return !points_[i].is_value && points_[i].tree != no_index;
    });
  }

  DporPiece present() const {
    DporPiece piece;
    for (std::uint32_t i = 0; i < points_.size(); ++i) {
      const DporLevel& level = points_[i];
      const auto others = points_.others_at(i);
      const auto sleepers = sleepers_at(i);
      piece.levels.push_back({level,
                              {others.begin(), others.end()},
                              {sleepers.begin(), sleepers.end()},
                              plans_of(trees_, level.tree),
                              {level.chosen, footprint_at(level.step), ends_at(level.step)},
                              races_.slot_start(level.step)});
    }
    if (!is_explored()) piece.planned = plans_of(trees_, planned_);
    piece.branch_step = branch_step();
    piece.contended = races_.order().contended_blocks().all();
    piece.fenced = cuts_.fenced();
    piece.is_explored = is_explored();
    return piece;
  }

  void load_levels(const DporPiece& piece) {
    guide_.lose();
    trees_ = {};
    points_.clear();
    sleepers_.clear();
    for (const PlannedLevel& each : piece.levels) {
      sleepers_.insert(sleepers_.end(), each.sleepers.begin(), each.sleepers.end());
      DporLevel& level = points_.push_known(each.point, each.others);
      level.sleepers = static_cast<std::uint32_t>(sleepers_.size());
      level.tree = plant(trees_, each.plans);
    }
    planned_ = plant(trees_, piece.planned);
    // From the start nobody sleeps, whoever has slept at the end of the last piece.
    if (points_.empty()) return guide_.start(0, planned_, {});
    resume();
  }

  std::vector<Sleeper> sleepers_;  // of the levels, one after the other
  WakeupTrees trees_;
  WakeupGuide guide_{trees_, races_.order().contended_blocks()};
  WakeupInsertion insertion_{trees_, races_.order()};
  Reversal reversal_{races_.order()};  // of the race that is being looked at
  std::uint32_t planned_ = no_index;   // the decisions behind the one that was taken last
  std::uint64_t cut_ = 0;              // executions that were given up

  PieceCuts cuts_;
  // Of one who hands them out.
  DporPlan plan_;
  bool is_shared_out_ = false;
};

}  // namespace

std::unique_ptr<Strategy> make_dpor(const Parameters&) {
  return std::make_unique<PartialOrderStrategy>();
}

}  // namespace ricercar::inline strategy
