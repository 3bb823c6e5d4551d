// Preemption bounding without iterations: all executions with at most so many preemptions in plain
// depth-first order, each exactly once (the default search of CHESS: Musuvathi, Qadeer, Ball,
// Basler, Nainar, Neamtiu, OSDI 2008). A point takes its other options in turn; where that would be
// a preemption, only if the prefix has one left.
//
// It keeps nothing but the decisions of one execution, and promises nothing before its end.
#include "strategy/kept.h"
#include "strategy/stack_pieces.h"
#include "strategy/strategies.h"

namespace ricercar::inline strategy {
namespace {

class DepthFirstBoundStrategy final : public Kept<DepthFirstBoundStrategy, StackSearch> {
 public:
  explicit DepthFirstBoundStrategy(std::uint64_t bound) : bound_(bound) {}

  template <typename Archive>
  void serialize(Archive& archive) {
    StackSearch::serialize(archive);
    archive(most_, beyond_);
  }

  bool begin() override {
    preemptions_ = 0;
    return StackSearch::begin();
  }

  std::size_t choose(const ChoicePoint& point) override {
    const std::size_t chosen = stack_.replaying() ? stack_.replay(point) : extend(point);
    if (can_preempt(point) && chosen != default_option(point)) ++preemptions_;
    return chosen;
  }

  void end(Trace trace, const Outcome& outcome) override {
    most_ = std::max(most_, preemptions_);
    StackSearch::end(trace, outcome);
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
    return {true, "every execution: " + count +
                      (most_ == 0 ? "; no preemption possible"
                                  : "; none has more than " + preemptions_text(most_))};
  }

  void take(std::string_view piece) override {
    StackSearch::take(piece);
    most_ = 0;
    beyond_ = false;
  }

 private:
  void show(ByteWriter& writer) const override {
    writer.number(most_);
    writer.plain(beyond_);
  }
  void learn(ByteReader& reader) override {
    most_ = std::max(most_, reader.number());
    beyond_ = reader.plain<bool>() || beyond_;
  }

  std::size_t extend(const ChoicePoint& point) {
    const bool within = !can_preempt(point) || preemptions_ < bound_;
    if (!within) beyond_ = true;
    return stack_.push_default(point, within);
  }

  const std::uint64_t bound_;
  std::uint64_t preemptions_ = 0;  // of the current execution, so far
  std::uint64_t most_ = 0;         // of any execution
  bool beyond_ = false;            // there are executions with more preemptions than the bound
};

}  // namespace

std::unique_ptr<Strategy> make_depth_first_pb(const Parameters& parameters) {
  if (parameters.flag("cache")) {
    throw UsageError("pb knows states again (cache=yes) only with iterative=yes");
  }
  return std::make_unique<DepthFirstBoundStrategy>(parameters.number("bound"));
}

}  // namespace ricercar::inline strategy
