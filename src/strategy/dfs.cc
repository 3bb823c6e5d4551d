// Depth-first search over all decisions without storing states: each execution runs the prefix of
// the last one again and differs from it in the deepest decision that has an option left
// (Godefroid, POPL 1997, without the reductions).
#include "strategy/kept.h"
#include "strategy/registry.h"
#include "strategy/stack_pieces.h"

namespace ricercar::inline strategy {
namespace {

class DepthFirstStrategy final : public Kept<DepthFirstStrategy, StackSearch> {
 public:
  std::size_t choose(const ChoicePoint& point) override {
    if (stack_.replaying()) [[likely]] {
      return stack_.replay(point);
    }
    return stack_.push_default(point, true);
  }

  Coverage coverage() const override {
    if (finished_) return {true, "every execution: " + std::to_string(executions_)};
    return {false, "executions, depth first: " + std::to_string(executions_) +
                       ", no promise before the end"};
  }
};

}  // namespace

std::unique_ptr<Strategy> make_dfs(const Parameters&) {
  return std::make_unique<DepthFirstStrategy>();
}

}  // namespace ricercar::inline strategy
