// Iterative preemption bounding: all executions without a preemption, then those with one, with
// two, ... (Musuvathi and Qadeer, Iterative Context Bounding for Systematic Testing of
// Multithreaded Programs, PLDI 2007; CHESS, OSDI 2008).
//
// As in the paper, what would need one more preemption is queued for the next round, so that no
// execution is run twice. Departures:
// - The paper queues a state for each preemption. Here one item stands for all preemptions that are
//   possible at the points that one execution was the first to come to. An item is the list of
//   that execution's deviations from the default and its last such point, a few bytes; what lies
//   before that point is seen again on the way there.
// - The paper explores what an item leads to by recursion, here a DecisionStack does.
#include "strategy/decision_stack.h"
#include "strategy/deviation_queue.h"
#include "strategy/kept.h"
#include "strategy/strategies.h"

namespace ricercar::inline strategy {
namespace {

class PreemptionBoundStrategy final
    : public Kept<PreemptionBoundStrategy, StrategyWith<ShowsProgress, HasPieces, CanBeKept>> {
 public:
  PreemptionBoundStrategy(std::uint64_t bound, std::uint64_t memory_mb)
      : bound_(bound), memory_mb_(memory_mb) {}

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(bound_, round_, executions_, executions_before_round_, finished_, beyond_);
    archive(out_of_memory_, stack_, item_, following_, followed_, piece_follows_);
    archive(queue_, round_items_, items_left_, next_items_);
  }

  bool begin() override {
    if (finished_) return false;
    stack_.rewind();
    if (is_piece_over_) return false;
    begins_piece_ = std::exchange(piece_follows_, false);
    return true;
  }

  std::size_t choose(const ChoicePoint& point) override {
    if (stack_.replaying()) [[likely]] {
      return stack_.replay(point);
    }
    return following_ ? follow(point) : extend(point);
  }

  void end(Trace trace, const Outcome&) override {
    ++executions_;
    if (following_) return stack_.end_early(trace.size(), item_.options);
    if (item_.end != 0) defer();
    if (stack_.advance(trace.size())) {
      deviate();
    } else {
      next_item();
    }
  }

  Coverage coverage() const override {
    std::string text = finished_ ? finished_text() : unfinished_text();
    if (out_of_memory_) {
      text += "; no more because of the limit of " + std::to_string(memory_mb_) + " MB";
    }
    return {finished_ && !out_of_memory_, text};
  }

  std::string progress() const override {
    std::string text = "at most " + preemptions_text(round_);
    if (round_items_ == 0) return text;
    const std::uint64_t done = round_items_ - items_left_ - 1;
    return text + ", " + std::to_string(done * 100 / round_items_) + "% done";
  }

  // --- HasPieces: the first round, or some of the items of a later one ---

  bool begins_piece() const override { return begins_piece_; }
  bool is_first_piece() const override { return round_ == 0; }

  void take(std::string_view piece) override {
    ByteReader reader(piece);
    is_piece_ = true;
    is_piece_over_ = beyond_ = following_ = false;
    executions_ = next_items_ = 0;
    stack_ = {};
    item_ = {};
    queue_.clear();
    round_ = reader.number();
    items_left_ = reader.number();
    for (std::uint64_t i = 0; i < items_left_; ++i) {
      read(reader, item_);
      queue_.push(item_);
    }
    if (items_left_ > 0) next_item();
    piece_follows_ = true;
  }

  // What the rest of this round's items stood for is lost: the piece was not ended.
  PieceEnd give() override {
    ByteWriter writer;
    writer.number(executions_);
    writer.plain(beyond_);
    for (; items_left_ > 0; --items_left_) queue_.pop(item_);
    writer.number(next_items_);
    for (; next_items_ > 0; --next_items_) {
      queue_.pop(item_);
      write(writer, item_);
    }
    return {writer.take(), {}, is_piece_over_};
  }

  std::optional<std::string> next_piece(std::uint64_t) override {
    const bool is_first = !std::exchange(is_shared_out_, true);
    if (!is_first && items_left_ == 0 && pieces_open_ == 0 && !finished_) next_round();
    if (!is_first && items_left_ == 0) return std::nullopt;
    ++pieces_open_;
    ByteWriter writer;
    writer.number(round_);
    const std::uint64_t count = std::min(items_left_, items_in_piece());
    writer.number(count);
    for (std::uint64_t i = 0; i < count; ++i, --items_left_) {
      queue_.pop(item_);
      write(writer, item_);
    }
    return writer.take();
  }

  void merge(std::string_view shown) override {
    ByteReader reader(shown);
    --pieces_open_;
    executions_ += reader.number();
    beyond_ = reader.plain<bool>() || beyond_;
    for (std::uint64_t left = reader.number(); left > 0; --left) {
      read(reader, item_);
      defer();
    }
  }
  // All else begins with the first one.
  bool pass_over(std::string_view) override {
    if (round_ == 0) return false;
    --pieces_open_;
    return true;
  }

 private:
  std::uint64_t items_in_piece() const {
    return std::clamp<std::uint64_t>(round_items_ / 32, 1, 16);
  }

  // The first execution of an item goes along its deviations to its last point, and notes the other
  // points at which the item's preemptions are possible.
  std::size_t follow(const ChoicePoint& point) {
    const std::size_t depth = stack_.size();
    if (depth + 1 == item_.end) return preempt(point);
    if (depth >= item_.start()) return stack_.push_default(point, can_preempt(point));
    const Deviation next = item_.deviations[followed_];
    if (next.depth != depth) return stack_.push_default(point, false);
    ++followed_;
    expect(next.chosen < point.options.size(), point, next.chosen + 1);
    return stack_.push(point, default_option(point), next.chosen, false);
  }

  std::size_t preempt(const ChoicePoint& point) {
    expect(can_preempt(point) && point.options.size() == item_.options, point, item_.options);
    const std::uint32_t first = default_option(point);
    const std::uint32_t chosen = first == 0 ? 1 : 0;
    stack_.push(point, first, chosen, true);
    deviate();
    following_ = false;
    return chosen;
  }

  static void expect(bool as_before, const ChoicePoint& point, std::uint32_t options) {
    if (!as_before) throw Nondeterminism(point.step, options, point.options.size());
  }

  std::size_t extend(const ChoicePoint& point) {
    const bool costs = can_preempt(point);
    const std::size_t chosen = stack_.push_default(point, !costs);
    if (costs) {
      item_.end = static_cast<std::uint32_t>(stack_.size());
      item_.options = point.options.size();
    }
    return chosen;
  }

  // The last decision on the stack is a new one: from here on the points are new.
  void deviate() {
    const auto depth = static_cast<std::uint32_t>(stack_.size() - 1);
    std::vector<Deviation>& deviations = item_.deviations;
    while (!deviations.empty() && deviations.back().depth >= depth) deviations.pop_back();
    deviations.push_back({depth, stack_.last_chosen()});
    item_.end = 0;
  }

  void defer() {
    if (round_ == bound_) {
      beyond_ = true;
    } else if (!is_piece_ && queue_.bytes() >= memory_mb_ << 20) {
      beyond_ = out_of_memory_ = true;
      bound_ = round_;
      next_items_ = 0;
    } else {
      queue_.push(item_);
      ++next_items_;
    }
  }

  void next_item() {
    if (items_left_ == 0 && is_piece_) {
      is_piece_over_ = true;
      return;
    }
    if (items_left_ == 0) next_round();
    if (finished_) return;
    const std::uint64_t done = round_items_ - items_left_;
    if (!is_piece_ && done % items_in_piece() == 0) piece_follows_ = true;
    --items_left_;
    queue_.pop(item_);
    following_ = true;
    followed_ = 0;
  }

  void next_round() {
    finished_ = next_items_ == 0;
    if (finished_) return queue_.clear();
    ++round_;
    executions_before_round_ = executions_;
    round_items_ = items_left_ = next_items_;
    next_items_ = 0;
  }

  std::string finished_text() const {
    const std::string count = std::to_string(executions_);
    if (beyond_) return "every execution with at most " + preemptions_text(round_) + ": " + count;
    return "every execution: " + count +
           (round_ == 0 ? "; no preemption possible"
                        : "; none has more than " + preemptions_text(round_));
  }

  std::string unfinished_text() const {
    const std::string count = std::to_string(executions_ - executions_before_round_);
    if (round_ == 0) return "executions with 0 preemptions, not yet all: " + count;
    return "every execution with at most " + preemptions_text(round_ - 1) + ": " +
           std::to_string(executions_before_round_) + "; with " + preemptions_text(round_) +
           ", not yet all: " + count;
  }

  std::uint64_t bound_;
  const std::uint64_t memory_mb_;
  std::uint64_t round_ = 0;  // the number of preemptions of the executions being run
  std::uint64_t executions_ = 0;
  std::uint64_t executions_before_round_ = 0;
  bool finished_ = false;
  bool beyond_ = false;  // there are executions with more preemptions than the bound
  bool out_of_memory_ = false;

  DecisionStack stack_;
  // While `following_`, the item that is being explored. Afterwards the current execution's
  // deviations, and as `end` the last of its new points that can preempt; 0 if there is none yet.
  DeviationItem item_;
  bool following_ = false;
  std::size_t followed_ = 0;  // how many deviations have been followed

  DeviationQueue queue_;           // the rest of this round's items, then those of the next round
  std::uint64_t round_items_ = 0;  // in this round; 0 in the first
  std::uint64_t items_left_ = 0;   // in the queue for this round
  std::uint64_t next_items_ = 0;   // in the queue for the next round

  bool begins_piece_ = false;
  bool piece_follows_ = true;      // the next execution begins one
  bool is_piece_ = false;          // it searches single pieces
  bool is_piece_over_ = false;     // and has searched this one
  bool is_shared_out_ = false;     // others search
  std::uint64_t pieces_open_ = 0;  // that they have not brought back
};

}  // namespace

std::unique_ptr<Strategy> make_pb(const Parameters& parameters) {
  if (!parameters.flag("iterative")) return make_depth_first_pb(parameters);
  if (parameters.flag("cache")) return make_cached_pb(parameters);
  return std::make_unique<PreemptionBoundStrategy>(parameters.number("bound"),
                                                   parameters.number("memory"));
}

}  // namespace ricercar::inline strategy
