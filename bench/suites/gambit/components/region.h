// Ownership of a part of the heap: a region has one owner, who may change it, or any number of
// borrowers, who may read it. Owners are numbered from 1.
#pragma once

#include <atomic>
#include <cassert>

#include "spin.h"

namespace gambit {

enum class RegionBug {
  none,
  // A borrower looks for an owner and announces itself, but does not look again. An owner that
  // comes between the two sees no borrower, and both have the region at once.
  late_borrow,
};

class Region {
 public:
  explicit Region(RegionBug bug) : bug_(bug) {}

  void borrow() {
    spin_until([this] { return try_borrow(); });
  }

  void give_back() { --borrowers_; }

  // Waits until the region is free.
  void own(int owner) {
    spin_until([this, owner] {
      int expected = nobody;
      return owner_.compare_exchange_strong(expected, owner);
    });
    spin_until([this] { return borrowers_ == 0; });
  }

  // Hands the region over to another owner, who need not ask for it.
  void transfer(int from, int to) {
    assert(owner_ == from);
    owner_ = to;
  }

  bool owned_by(int owner) const { return owner_ == owner; }

  void disown(int owner) {
    assert(owner_ == owner);
    owner_ = nobody;
  }

 private:
  static constexpr int nobody = 0;

  bool try_borrow() {
    if (owner_ != nobody) return false;
    ++borrowers_;
    if (bug_ == RegionBug::late_borrow || owner_ == nobody) return true;
    --borrowers_;
    return false;
  }

  const RegionBug bug_;
  std::atomic<int> owner_ = nobody;
  std::atomic<int> borrowers_ = 0;
};

}  // namespace gambit
