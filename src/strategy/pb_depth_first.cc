// Preemption bounding without iterations: all executions with at most so many preemptions in plain
// depth-first order, each exactly once (the default search of CHESS: Musuvathi, Qadeer, Ball,
// Basler, Nainar, Neamtiu, OSDI 2008). A point takes its other options in turn; where that would be
// a preemption, only if the prefix has one left.
//
// It keeps nothing but the decisions of one execution, and promises nothing before its end.
#include "strategy/decision_stack.h"
#include "strategy/estimate.h"
#include "strategy/kept.h"
#include "strategy/stack_pieces.h"
#include "strategy/strategies.h"

namespace ricercar::inline strategy {
namespace {

class DepthFirstBoundStrategy final
    : public Kept<DepthFirstBoundStrategy, StrategyWith<ShowsProgress, HasPieces, CanBeKept>> {
 public:
  explicit DepthFirstBoundStrategy(std::uint64_t bound) : bound_(bound) {}

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(stack_, executions_, preemptions_, most_, beyond_, finished_, pieces_);
  }

  bool begin() override {
    if (finished_) return false;
    stack_.rewind();
    if (is_piece_over_) return false;
    begins_piece_ = pieces_.begin();
    preemptions_ = 0;
    return true;
  }

  std::size_t choose(const ChoicePoint& point) override {
    const std::size_t chosen = stack_.replaying() ? stack_.replay(point) : extend(point);
    if (can_preempt(point) && chosen != default_option(point)) ++preemptions_;
    return chosen;
  }

  void end(Trace trace, const Outcome&) override {
    ++executions_;
    most_ = std::max(most_, preemptions_);
    finished_ = !stack_.advance(trace.size());
    if (!finished_ && pieces_.advance(stack_)) is_piece_over_ = is_piece_;
  }

  Coverage coverage() const override {
    const std::string count = std::to_string(executions_);
    if (!finished_) {
      return {false, "executions with at most " + preemptions_text(bound_) +
                         ", depth first: " + count + ", no promise before the end"};
    }
    if (beyond_) {
      return {true, "every execution with at most " + preemptions_text(bound_) + ": " + count};
    }
    return {true, "every execution: " + count + ", none has more than " + preemptions_text(most_)};
  }

  std::string progress() const override {
    if (finished_ || is_shared_out_) return "";
    return estimate_text(executions_, stack_.explored(), "executions");
  }

  // --- HasPieces ---

  bool begins_piece() const override { return begins_piece_; }
  bool is_first_piece() const override { return pieces_.is_first(); }
  void take(std::string_view piece) override {
    stack_.load(piece);
    pieces_.take(stack_);
    executions_ = most_ = 0;
    is_piece_ = true;
    is_piece_over_ = finished_ = beyond_ = false;
  }
  PieceEnd give() override {
    ByteWriter writer;
    writer.number(executions_);
    writer.number(most_);
    writer.plain(beyond_);
    return {writer.take(), is_piece_over_ ? pieces_.rest(stack_) : std::vector<std::string>(),
            finished_ || is_piece_over_};
  }
  std::optional<std::string> next_piece(std::uint64_t) override {
    if (std::exchange(is_shared_out_, true)) return std::nullopt;
    return stack_.save(0);
  }
  void merge(std::string_view shown) override {
    ByteReader reader(shown);
    executions_ += reader.number();
    most_ = std::max(most_, reader.number());
    beyond_ = reader.plain<bool>() || beyond_;
  }
  void finish() override { finished_ = true; }

 private:
  std::size_t extend(const ChoicePoint& point) {
    const bool within = !can_preempt(point) || preemptions_ < bound_;
    if (!within) beyond_ = true;
    return stack_.push_default(point, within);
  }

  const std::uint64_t bound_;
  DecisionStack stack_;
  StackPieces pieces_;
  std::uint64_t executions_ = 0;
  std::uint64_t preemptions_ = 0;  // of the current execution, so far
  std::uint64_t most_ = 0;         // of any execution
  bool beyond_ = false;            // there are executions with more preemptions than the bound
  bool finished_ = false;
  bool begins_piece_ = false;
  bool is_piece_ = false;       // it searches single pieces
  bool is_piece_over_ = false;  // and this one before the end of its part
  bool is_shared_out_ = false;  // others search
};

}  // namespace

std::unique_ptr<Strategy> make_depth_first_pb(const Parameters& parameters) {
  if (parameters.flag("cache")) {
    throw UsageError("pb knows states again (cache=yes) only with iterative=yes");
  }
  return std::make_unique<DepthFirstBoundStrategy>(parameters.number("bound"));
}

}  // namespace ricercar::inline strategy
