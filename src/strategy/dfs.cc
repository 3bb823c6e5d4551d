// Depth-first search over all decisions without storing states: each execution runs the prefix of
// the last one again and differs from it in the deepest decision that has an option left
// (Godefroid, POPL 1997, without the reductions).
#include "strategy/decision_stack.h"
#include "strategy/estimate.h"
#include "strategy/kept.h"
#include "strategy/registry.h"
#include "strategy/stack_pieces.h"

namespace ricercar::inline strategy {
namespace {

class DepthFirstStrategy final
    : public Kept<DepthFirstStrategy, StrategyWith<ShowsProgress, HasPieces, CanBeKept>> {
 public:
  template <typename Archive>
  void serialize(Archive& archive) {
    archive(stack_, executions_, finished_, pieces_);
  }

  bool begin() override {
    if (finished_) return false;
    stack_.rewind();
    if (is_piece_over_) return false;
    begins_piece_ = pieces_.begin();
    return true;
  }

  std::size_t choose(const ChoicePoint& point) override {
    if (stack_.replaying()) [[likely]] {
      return stack_.replay(point);
    }
    return stack_.push_default(point, true);
  }

  void end(Trace trace, const Outcome&) override {
    ++executions_;
    finished_ = !stack_.advance(trace.size());
    if (!finished_ && pieces_.advance(stack_)) is_piece_over_ = is_piece_;
  }

  Coverage coverage() const override {
    if (finished_) return {true, "every execution: " + std::to_string(executions_)};
    return {false, "executions, depth first: " + std::to_string(executions_) +
                       ", no promise before the end"};
  }

  // The estimate of the total is Knuth's (Mathematics of Computation 29, 1975) with the executions
  // so far as the probes, each weighted by its probability (Kilby et al., AAAI 2006).
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
    executions_ = 0;
    is_piece_ = true;
    is_piece_over_ = finished_ = false;
  }
  PieceEnd give() override {
    ByteWriter writer;
    writer.number(executions_);
    return {writer.take(), is_piece_over_ ? pieces_.rest(stack_) : std::vector<std::string>(),
            finished_ || is_piece_over_};
  }
  std::optional<std::string> next_piece(std::uint64_t) override {
    if (std::exchange(is_shared_out_, true)) return std::nullopt;
    return stack_.save(0);
  }
  void merge(std::string_view shown) override { executions_ += ByteReader(shown).number(); }
  void finish() override { finished_ = true; }

 private:
  DecisionStack stack_;
  StackPieces pieces_;
  std::uint64_t executions_ = 0;
  bool finished_ = false;
  bool begins_piece_ = false;
  bool is_piece_ = false;       // it searches single pieces
  bool is_piece_over_ = false;  // and this one before the end of its part
  bool is_shared_out_ = false;  // others search
};

}  // namespace

std::unique_ptr<Strategy> make_dfs(const Parameters&) {
  return std::make_unique<DepthFirstStrategy>();
}

}  // namespace ricercar::inline strategy
