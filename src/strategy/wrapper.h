// A strategy that lets others decide, one execution each. It offers what they do, and passes it on
// to the one whose execution it is: Forwarded says how, once for every capability. A capability
// without a Forwarded, or a function of one that it does not pass on, does not compile.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "strategy/strategy.h"

namespace ricercar::inline strategy {

// The others. `current_`: whose execution it is; nullptr: of the wrapper itself.
class Members {
 protected:
  ~Members() = default;

  template <typename Capability>
  Capability* of_current() const {
    return current_ != nullptr ? current_->as<Capability>() : nullptr;
  }
  // Calls visit(capability) for each one that offers it, in their order.
  template <typename Capability, typename Visit>
  void for_each(Visit visit) const {
    for (const std::unique_ptr<Strategy>& member : members_) {
      if (auto* offered = member->template as<Capability>()) visit(*offered);
    }
  }
  template <typename Capability>
  Capability& first() const {
    const auto found = std::find_if(members_.begin(), members_.end(), [](const auto& member) {
      return member->template as<Capability>() != nullptr;
    });
    RICERCAR_CHECK(found != members_.end());
    return *(*found)->template as<Capability>();
  }

  std::vector<std::unique_ptr<Strategy>> members_;
  Strategy* current_ = nullptr;
};

// When a wrapper offers what its members do.
enum class Needs { one, all, nothing_else };

// How a wrapper passes a capability on.
template <typename Capability>
class Forwarded;

template <>
class Forwarded<KnowsStates> : public KnowsStates, public virtual Members {
 public:
  static constexpr Needs needs = Needs::one;
  bool visit(const State& state) override {
    auto* states = of_current<KnowsStates>();
    return states == nullptr || states->visit(state);
  }
  const SavedState* origin() const override {
    const auto* states = of_current<KnowsStates>();
    return states != nullptr ? states->origin() : nullptr;
  }
  bool wants_fingerprints() const override {
    bool wanted = false;
    for_each<KnowsStates>([&](KnowsStates& states) { wanted |= states.wants_fingerprints(); });
    return wanted;
  }
  bool counts_delays() const override {
    const auto* states = of_current<KnowsStates>();
    return states != nullptr && states->counts_delays();
  }
  bool compares_orders() const override {
    bool compares = false;
    for_each<KnowsStates>([&](KnowsStates& states) { compares |= states.compares_orders(); });
    return compares;
  }
};

template <>
class Forwarded<WantsRest> : public WantsRest, public virtual Members {
 public:
  static constexpr Needs needs = Needs::one;
  void left(Trace pending) override {
    if (auto* rest = of_current<WantsRest>()) rest->left(pending);
  }
};

template <>
class Forwarded<WantsHeap> : public WantsHeap, public virtual Members {
 public:
  static constexpr Needs needs = Needs::one;
  void used_heap(HeapTrace heap) override {
    if (auto* wants = of_current<WantsHeap>()) wants->used_heap(heap);
  }
};

// Numbers are given once: those that learn must share them.
template <>
class Forwarded<LearnsContexts> : public LearnsContexts, public virtual Members {
 public:
  static constexpr Needs needs = Needs::one;
  CallContexts& contexts() override { return first<LearnsContexts>().contexts(); }
  void called_from(std::span<const ContextId> steps, std::span<const ContextId> left) override {
    if (auto* learns = of_current<LearnsContexts>()) learns->called_from(steps, left);
  }
  const PredecessorSets& sets() const override { return first<LearnsContexts>().sets(); }
};

template <>
class Forwarded<CanRestart> : public CanRestart, public virtual Members {
 public:
  static constexpr Needs needs = Needs::all;
  void restart() override {
    for_each<CanRestart>([](CanRestart& member) { member.restart(); });
  }
};

// A member's partner would not take turns with the others: a wrapper works alone.
template <>
class Forwarded<HasPartners> {
 public:
  static constexpr Needs needs = Needs::nothing_else;
};

// Members take turns, and a piece of one is no piece of the whole.
template <>
class Forwarded<HasPieces> {
 public:
  static constexpr Needs needs = Needs::nothing_else;
};

template <>
class Forwarded<HasStrata> : public HasStrata, public virtual Members {
 public:
  static constexpr Needs needs = Needs::one;
  std::vector<Stratum> strata() const override {
    std::vector<Stratum> all;
    for_each<HasStrata>([&](HasStrata& member) {
      const std::vector<Stratum> more = member.strata();
      all.insert(all.end(), more.begin(), more.end());
    });
    return all;
  }
};

template <>
class Forwarded<HasFirstPart> : public HasFirstPart, public virtual Members {
 public:
  static constexpr Needs needs = Needs::one;
  std::uint64_t first_part() const override { return first<HasFirstPart>().first_part(); }
};

template <>
class Forwarded<ShowsProgress> : public ShowsProgress, public virtual Members {
 public:
  static constexpr Needs needs = Needs::one;
  std::string progress() const override { return first<ShowsProgress>().progress(); }
};

template <>
class Forwarded<LearnsBlocks> : public LearnsBlocks, public virtual Members {
 public:
  static constexpr Needs needs = Needs::one;
  void actions(std::span<const std::uint64_t> keys) override {
    if (auto* learns = of_current<LearnsBlocks>()) learns->actions(keys);
  }
  void covered(std::span<const std::uint64_t> keys, std::uint32_t node,
               std::span<const BlockCount> blocks) override {
    for_each<LearnsBlocks>([&](LearnsBlocks& each) { each.covered(keys, node, blocks); });
  }
};

template <>
class Forwarded<SeesEveryPoint> : public SeesEveryPoint, public virtual Members {
 public:
  static constexpr Needs needs = Needs::one;
};

template <>
class Forwarded<IgnoresOperations> : public IgnoresOperations {
 public:
  static constexpr Needs needs = Needs::all;
};

template <>
class Forwarded<Samples> : public Samples {
 public:
  static constexpr Needs needs = Needs::all;
};

// It has a state of its own: a wrapper that can be kept says so itself (strategy/kept.h).
template <>
class Forwarded<CanBeKept> {
 public:
  static constexpr Needs needs = Needs::nothing_else;
};

template <typename List>
class WrapperOf;

template <typename... Capability>
class WrapperOf<CapabilityList<Capability...>> : public Strategy, public Forwarded<Capability>... {
 protected:
  // Takes it over, and offers what it brings.
  template <typename Member>
  Member& add_member(std::unique_ptr<Member> member) {
    this->members_.push_back(std::move(member));
    (offer<Capability>(), ...);
    return static_cast<Member&>(*this->members_.back());
  }

 private:
  template <typename Wanted>
  void offer() {
    if constexpr (Forwarded<Wanted>::needs != Needs::nothing_else) {
      const auto offers = [](const auto& member) {
        return member->template as<Wanted>() != nullptr;
      };
      const auto& members = this->members_;
      const bool is_offered = Forwarded<Wanted>::needs == Needs::all
                                  ? std::all_of(members.begin(), members.end(), offers)
                                  : std::any_of(members.begin(), members.end(), offers);
      this->capabilities_.template remove<Wanted>();
      if (is_offered)
        this->capabilities_.template add<Wanted>(static_cast<Forwarded<Wanted>*>(this));
    }
  }
};

using StrategyWrapper = WrapperOf<AllCapabilities>;

}  // namespace ricercar::inline strategy
