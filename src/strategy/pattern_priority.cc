// `pattern`: first the switches that would complete a known bug pattern. A study of real bugs (Lu,
// Park, Seo, Zhou, Learning from Mistakes, ASPLOS 2008) finds that nearly all are of one of these
// kinds, and that the order of few steps decides. What is preferred, most of all first:
//
// * Lock-order cycles. The task holds a lock and would take another one; the task that runs instead
//   takes that one and then, alone or with others, wants the first. Both then wait for ever. The
//   orders in which locks are taken are remembered from all executions so far.
// * Check, then act. The task has read an object, or locked and unlocked it, and comes back to it;
//   the task that runs instead writes it in between, so that what was checked holds no longer. A
//   compare-exchange is no such act: it notices. A loop that comes back to the same place is more
//   often harmless, so that is less preferred.
// * Unprotected pairs. Both tasks are about to access one object, one of them writes, and they hold
//   no lock in common: a data race, or an order that nobody has thought of. Plain accesses are
//   steps only under `--points memory`.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/kept.h"
#include "strategy/priority.h"

namespace ricercar::inline strategy {
namespace {

constexpr std::size_t max_lock_orders = 4096;

bool takes_lock(const Step& step) {
  return info(step.kind).role == Role::locks && (step.flags & (step_failed | step_timeout)) == 0;
}

// The lock that the step lets go; 0: none.
std::uint64_t lets_go(const Step& step) {
  const Role role = info(step.kind).role;
  if (role == Role::unlocks) return step.object;
  return role == Role::waits ? step.value : 0;  // the mutex
}

bool writes(const Step& step) { return access_of(step.kind) == Access::write; }

class PatternPriority : public PriorityFunction {
 public:
  void begin(const TaskSteps& steps) override {
    steps_ = &steps;
    touches_.clear();
    held_.assign(steps.trace().size(), 0);
    current_.clear();
    for (std::uint32_t i = 0; i < steps.trace().size(); ++i) add_step(steps.trace()[i], i);
  }

  std::uint16_t priority(const Candidate& candidate) override {
    const Step& step = candidate.trace[candidate.step];
    const auto at = static_cast<std::uint32_t>(candidate.step);
    if (step.object == 0 || step.task == candidate.task) return nothing;
    if (closes_cycle(step, at, candidate.task)) return lock_order_cycle;
    const std::uint16_t kind = comes_back(step, at, candidate.task);
    if (kind != check_then_act && is_unprotected(step, at, candidate.task)) return unprotected_pair;
    return kind;
  }

  bool needs_steps() const override { return true; }
  bool can_be_kept() const override { return true; }
  void save(KeptOut& out) const override { out(lock_orders_, lock_sets_, numbers_); }
  void load(KeptIn& in) override { in(lock_orders_, lock_sets_, numbers_); }

  const char* why_alone() const override { return nullptr; }
  std::uint64_t parts_learned() const override { return lock_orders_.size(); }
  void tell(ByteWriter& writer) const override {
    writer.number(lock_orders_.size());
    for (const LockOrder& order : lock_orders_) {
      writer.number(order.held);
      writer.number(order.taken);
      writer.number(index(order.task));
    }
  }
  void be_told(ByteReader& reader) override {
    lock_orders_.clear();
    for (std::uint64_t left = reader.number(); left != 0; --left) {
      const std::uint64_t held = reader.number(), taken = reader.number();
      lock_orders_.insert({held, taken, task_id(static_cast<std::uint32_t>(reader.number()))});
    }
  }

 private:
  enum : std::uint16_t { lock_order_cycle, check_then_act, unprotected_pair, loop, nothing };

  using Locks = std::vector<std::uint64_t>;  // sorted

  struct Touches {  // of one object by one task: steps
    std::vector<std::uint32_t> all;
    std::vector<std::uint32_t> writing;
  };

  struct LockOrder {  // the task held one and took the other
    std::uint64_t held;
    std::uint64_t taken;
    TaskId task;
    template <typename Archive>
    void serialize(Archive& archive) {
      archive(held, taken, task);
    }
    bool operator<(const LockOrder& other) const {
      return std::tie(held, taken, task) < std::tie(other.held, other.taken, other.task);
    }
  };

  void add_step(const Step& step, std::uint32_t at) {
    std::uint32_t& locks = current_[step.task];
    held_[at] = locks;
    if (step.object != 0) {
      Touches& touches = touches_[{step.task, step.object}];
      touches.all.push_back(at);
      if (writes(step)) touches.writing.push_back(at);
    }
    if (takes_lock(step)) {
      add_lock_orders(step, lock_sets_[locks]);
      locks = with(locks, step.object);
    } else if (const std::uint64_t lock = lets_go(step); lock != 0) {
      locks = without(locks, lock);
    }
  }

  void add_lock_orders(const Step& step, const Locks& held) {
    for (const std::uint64_t lock : held) {
      if (lock_orders_.size() < max_lock_orders && lock != step.object) {
        lock_orders_.insert({lock, step.object, step.task});
      }
    }
  }

  // Sets of locks are numbered; 0 is the empty one.
  std::uint32_t number_of(Locks locks) {
    const auto [found, is_new] =
        numbers_.try_emplace(locks, static_cast<std::uint32_t>(lock_sets_.size()));
    if (is_new) lock_sets_.push_back(std::move(locks));
    return found->second;
  }
  std::uint32_t with(std::uint32_t set, std::uint64_t lock) {
    Locks locks = lock_sets_[set];
    const auto place = std::lower_bound(locks.begin(), locks.end(), lock);
    if (place == locks.end() || *place != lock) locks.insert(place, lock);
    return number_of(std::move(locks));
  }
  std::uint32_t without(std::uint32_t set, std::uint64_t lock) {
    Locks locks = lock_sets_[set];
    std::erase(locks, lock);
    return number_of(std::move(locks));
  }

  // `other` takes what the step wants and goes on to what the task holds.
  bool closes_cycle(const Step& step, std::uint32_t at, TaskId other) const {
    const Locks& held = lock_sets_[held_[at]];
    if (held.empty() || !takes_lock(step)) return false;
    std::set<std::uint64_t> seen;
    std::vector<std::uint64_t> next = {step.object};
    for (bool is_first = true; !next.empty(); is_first = false) {
      const std::uint64_t lock = next.back();
      next.pop_back();
      for (auto i = lock_orders_.lower_bound({lock, 0, TaskId{}});
           i != lock_orders_.end() && i->held == lock; ++i) {
        if (i->task == step.task || (is_first && i->task != other)) continue;
        if (std::binary_search(held.begin(), held.end(), i->taken)) return true;
        if (seen.insert(i->taken).second) next.push_back(i->taken);
      }
    }
    return false;
  }

  std::uint16_t comes_back(const Step& step, std::uint32_t at, TaskId other) const {
    const auto own = touches_.find({step.task, step.object});
    const auto others = touches_.find({other, step.object});
    if (own == touches_.end() || others == touches_.end()) return nothing;
    const std::vector<std::uint32_t>& all = own->second.all;
    const auto here = std::lower_bound(all.begin(), all.end(), at);
    if (here == all.begin() || step.kind == OperationKind::atomic_compare_exchange) return nothing;
    const Step& before = steps_->trace()[*std::prev(here)];
    const bool is_check =
        is_memory_access(step.kind) ? !writes(before) : lets_go(before) == step.object;
    const std::vector<std::uint32_t>& writing = others->second.writing;
    if (!is_check || writing.empty() || writing.back() < at) return nothing;
    if (is_memory_access(step.kind)) return writes(step) ? check_then_act : loop;
    if (!takes_lock(step)) return nothing;
    const bool is_elsewhere = here - all.begin() < 2 || step.site != site_of(*(here - 2));
    return is_elsewhere ? check_then_act : loop;
  }
  std::uint64_t site_of(std::uint32_t at) const { return steps_->trace()[at].site; }

  bool is_unprotected(const Step& step, std::uint32_t at, TaskId other) const {
    const Step* next = steps_->next(other, at);
    if (next == nullptr || next->object != step.object || !is_memory_access(step.kind))
      return false;
    if (!writes(step) && !writes(*next)) return false;
    const Locks& own = lock_sets_[held_[at]];
    const Locks& others = lock_sets_[held_by(*next)];
    return std::none_of(own.begin(), own.end(), [&](std::uint64_t lock) {
      return std::binary_search(others.begin(), others.end(), lock);
    });
  }
  std::uint32_t held_by(const Step& step) const {
    const Trace trace = steps_->trace();
    const bool has_happened = &step >= trace.data() && &step < trace.data() + trace.size();
    if (has_happened) return held_[static_cast<std::size_t>(&step - trace.data())];
    const auto found = current_.find(step.task);  // it still wants to
    return found == current_.end() ? 0 : found->second;
  }

  std::set<LockOrder> lock_orders_;  // of all executions
  std::vector<Locks> lock_sets_ = {{}};
  std::map<Locks, std::uint32_t> numbers_ = {{{}, 0}};

  // The current execution.
  const TaskSteps* steps_ = nullptr;
  std::map<std::pair<TaskId, std::uint64_t>, Touches> touches_;
  std::vector<std::uint32_t> held_;          // by step: the set of locks that its task had before
  std::map<TaskId, std::uint32_t> current_;  // the same, while steps are added
};

}  // namespace

std::unique_ptr<PriorityFunction> make_pattern_priority(std::uint64_t, const PriorityContext&) {
  return std::make_unique<PatternPriority>();
}

}  // namespace ricercar::inline strategy
