// How many of the numbers that were drawn came once only, and from that how likely the next one is
// new: the share of the draws that came once (I. J. Good, The Population Frequencies of Species and
// the Estimation of Population Parameters, Biometrika 40, 1953; after Turing). Exact while there
// are few different numbers; after that those in a part of the range stand for all, in half of it
// each time that they are too many (P. Flajolet, On Adaptive Sampling, Computing 43, 1990).
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace ricercar::inline base {

class Census {
 public:
  // The numbers should look random: hashes.
  void add(std::uint64_t hash) {
    ++draws_;
    if (!is_kept(hash)) return;
    const std::uint32_t times = ++times_[hash];
    if (times == 1) ++once_;
    if (times == 2) --once_;
    while (times_.size() > most_kept) keep_half();
  }

  std::uint64_t draws() const { return draws_; }
  // How many different ones there were.
  std::uint64_t distinct() const { return times_.size() << halvings_; }
  template <typename Archive>
  void serialize(Archive& archive) {
    archive(times_, draws_, once_, halvings_);
  }

  // That one more draw shows a new one; 0 if all have come again, which says: not often.
  double chance_of_new() const {
    if (draws_ == 0) return 1;
    return static_cast<double>(once_ << halvings_) / static_cast<double>(draws_);
  }

 private:
  static constexpr std::size_t most_kept = 1 << 14;

  bool is_kept(std::uint64_t hash) const { return halvings_ == 0 || hash >> (64 - halvings_) == 0; }

  void keep_half() {
    ++halvings_;
    std::erase_if(times_, [this](const auto& each) {
      const bool goes = !is_kept(each.first);
      if (goes && each.second == 1) --once_;
      return goes;
    });
  }

  std::unordered_map<std::uint64_t, std::uint32_t> times_;
  std::uint64_t draws_ = 0;
  std::uint64_t once_ = 0;  // of those that are kept
  unsigned halvings_ = 0;
};

}  // namespace ricercar::inline base
