// Where a step was called from: the last few calls, as one number. The numbers stay the same for a
// whole search, in every process of it: this lives where strategies do (base/search_heap.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/random.h"

namespace ricercar::inline model {

using ContextId = std::uint32_t;

class CallContexts {
 public:
  static constexpr ContextId outermost = 0;

  // So many calls are told apart.
  explicit CallContexts(std::uint32_t depth) : depth_(depth) {
    ends_.push_back(0);
    ids_[0].push_back(outermost);
    last_.resize(cache_size);
  }

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(calls_, ends_, ids_);
  }

  std::uint32_t depth() const { return depth_; }

  // Inside of a call from the return address `call`, if that was asked for lately.
  std::optional<ContextId> recent(ContextId from, std::uint64_t call) const {
    const Transition& known = last_[slot_of(from, call)];
    if (known.call != call || known.from != from) return std::nullopt;
    return known.to;
  }
  ContextId enter(ContextId from, std::uint64_t call) {
    const ContextId to = intern(from, call);
    last_[slot_of(from, call)] = {call, from, to};
    return to;
  }

  // The return addresses, innermost first.
  std::span<const std::uint64_t> calls(ContextId context) const {
    const std::uint32_t begin = context == 0 ? 0 : ends_[context - 1];
    return {calls_.data() + begin, ends_[context] - begin};
  }
  std::size_t size() const { return ends_.size(); }

 private:
  static constexpr std::size_t cache_size = 1024;

  struct Transition {
    std::uint64_t call = 0;
    ContextId from = 0;
    ContextId to = 0;
  };

  static std::size_t slot_of(ContextId from, std::uint64_t call) {
    return (call ^ from * 31) % cache_size;
  }

  ContextId intern(ContextId from, std::uint64_t call) {
    if (depth_ == 0) return outermost;
    std::vector<std::uint64_t> wanted = {call};
    for (const std::uint64_t outer : calls(from)) {
      if (wanted.size() < depth_) wanted.push_back(outer);
    }
    std::uint64_t hash = wanted.size();
    for (const std::uint64_t each : wanted) hash = mix64(hash ^ each);
    std::vector<ContextId>& same = ids_[hash];
    for (const ContextId id : same) {
      const std::span<const std::uint64_t> other = calls(id);
      if (std::equal(other.begin(), other.end(), wanted.begin(), wanted.end())) return id;
    }
    calls_.insert(calls_.end(), wanted.begin(), wanted.end());
    ends_.push_back(static_cast<std::uint32_t>(calls_.size()));
    same.push_back(static_cast<ContextId>(ends_.size() - 1));
    return same.back();
  }

  const std::uint32_t depth_;
  std::vector<std::uint64_t> calls_;  // of all contexts
  std::vector<std::uint32_t> ends_;   // by context: where its part of calls_ ends
  std::unordered_map<std::uint64_t, std::vector<ContextId>> ids_;  // by a hash of the calls
  std::vector<Transition> last_;  // those that were asked for lately
};

}  // namespace ricercar::inline model
