// Counted references to things that many states share. Nothing that is referenced by more than one
// is ever changed.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace ricercar::detail {

// The functions of the library that are not templates are visible to programs.
#pragma GCC visibility push(default)

// Set before a second kernel thread looks at states; counting is cheaper without.
extern bool counts_atomically;

class Counted {
 public:
  Counted() = default;
  Counted(const Counted&) {}  // NOLINT(modernize-use-equals-default): a copy has a count of its own
  Counted& operator=(const Counted&) = delete;

  void keep() const {
    if (counts_atomically) {
      references_.fetch_add(1, std::memory_order_relaxed);
    } else {
      references_.store(references_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }
  }
  // True if that was the last one.
  bool drop() const {
    if (counts_atomically) return references_.fetch_sub(1, std::memory_order_acq_rel) == 1;
    const std::uint32_t left = references_.load(std::memory_order_relaxed) - 1;
    references_.store(left, std::memory_order_relaxed);
    return left == 0;
  }
  bool is_shared() const { return references_.load(std::memory_order_acquire) > 1; }

 private:
  mutable std::atomic<std::uint32_t> references_ = 1;
};

// T is Counted and has a static member destroy(const T*).
template <typename T>
class Reference {
 public:
  Reference() = default;
  explicit Reference(T* adopted) : to_(adopted) {}
  Reference(const Reference& other) : to_(other.to_) {
    if (to_ != nullptr) to_->keep();
  }
  Reference(Reference&& other) noexcept : to_(std::exchange(other.to_, nullptr)) {}
  Reference& operator=(Reference other) noexcept {
    std::swap(to_, other.to_);
    return *this;
  }
  ~Reference() {
    if (to_ != nullptr && to_->drop()) T::destroy(to_);
  }

  T* get() const { return to_; }
  T* operator->() const { return to_; }
  T& operator*() const { return *to_; }
  explicit operator bool() const { return to_ != nullptr; }
  T* release() { return std::exchange(to_, nullptr); }

 private:
  T* to_ = nullptr;
};

#pragma GCC visibility pop

}  // namespace ricercar::detail
