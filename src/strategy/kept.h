// Strategies that can be kept (CanBeKept): they say in a template `serialize(archive)` what of them
// has to be, which is all that the next execution depends on.
#pragma once

#include "base/kept.h"
#include "base/plain.h"
#include "strategy/wrapper.h"

namespace ricercar::inline strategy {

// `Base`: a StrategyWith<..., CanBeKept>, or what derives from one.
template <typename Self, typename Base>
class Kept : public Base {
 public:
  using Base::Base;

  void save(KeptOut& out) const final {
    const_cast<Self&>(static_cast<const Self&>(*this)).serialize(out);
  }
  void load(KeptIn& in) final { static_cast<Self&>(*this).serialize(in); }
};

// A wrapper, if all of its members can be kept. They come before what is its own.
template <typename Self>
class KeptWrapper : public StrategyWrapper, public CanBeKept {
 public:
  void save(KeptOut& out) const final {
    this->template for_each<CanBeKept>([&](CanBeKept& member) { member.save(out); });
    std::uint64_t current = current_number();
    out(current);
    const_cast<Self&>(static_cast<const Self&>(*this)).serialize(out);
  }
  void load(KeptIn& in) final {
    this->template for_each<CanBeKept>([&](CanBeKept& member) { member.load(in); });
    std::uint64_t current = 0;
    in(current);
    if (current > members_.size()) throw std::runtime_error("a kept search names no member");
    current_ = current == members_.size() ? nullptr : members_[current].get();
    static_cast<Self&>(*this).serialize(in);
  }

 protected:
  // When all members are there.
  void offer_to_be_kept() {
    const bool can = std::all_of(members_.begin(), members_.end(), [](const auto& member) {
      return member->template as<CanBeKept>() != nullptr;
    });
    if (can) capabilities_.add<CanBeKept>(this);
  }

 private:
  // Of members_; their number: the wrapper itself.
  std::uint64_t current_number() const {
    const auto found = std::find_if(members_.begin(), members_.end(), [this](const auto& member) {
      return member.get() == current_;
    });
    return static_cast<std::uint64_t>(found - members_.begin());
  }
};

}  // namespace ricercar::inline strategy
