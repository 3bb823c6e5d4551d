// A barrier with phases, for a fixed number of participants; an action runs between two phases.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <utility>

namespace gambit {

enum class PhaseBarrierBug {
  none,
  // So as to call foreign code without the lock, the last participant releases the others first and
  // runs the action afterwards: they enter the next phase without what the action should have done.
  release_before_action,
};

class PhaseBarrier {
 public:
  using Action = std::function<void(int phase)>;

  PhaseBarrier(int participants, PhaseBarrierBug bug, Action action)
      : participants_(participants), bug_(bug), action_(std::move(action)) {}

  void signal_and_wait() {
    std::unique_lock lock(mutex_);
    const int phase = phase_;
    if (++arrived_ < participants_) {
      released_.wait(lock, [this, phase] { return phase_ != phase; });
    } else if (bug_ == PhaseBarrierBug::release_before_action) {
      release();
      lock.unlock();
      action_(phase);
    } else {
      lock.unlock();
      action_(phase);
      lock.lock();
      release();
    }
  }

 private:
  void release() {
    arrived_ = 0;
    ++phase_;
    released_.notify_all();
  }

  const int participants_;
  const PhaseBarrierBug bug_;
  const Action action_;
  std::mutex mutex_;
  std::condition_variable released_;
  int arrived_ = 0;
  int phase_ = 0;
};

}  // namespace gambit
