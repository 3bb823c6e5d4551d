#include "machine_search/machine_watchdog.h"

#include <algorithm>
#include <chrono>

#include "machines/crash_guard.h"

namespace ricercar::inline machine_search {
namespace {

constexpr double tick_seconds = 0.05;

}  // namespace

MachineWatchdog::MachineWatchdog(double hang_seconds, std::function<void()> tick)
    : hang_seconds_(hang_seconds), tick_(std::move(tick)), thread_([this] { run(); }) {}

MachineWatchdog::~MachineWatchdog() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  ended_.notify_one();
  thread_.join();
}

void MachineWatchdog::add(const machines::World& world) {
  const std::lock_guard lock(mutex_);
  watched_.push_back({&world, ::pthread_self()});
}

void MachineWatchdog::remove(const machines::World& world) {
  const std::lock_guard lock(mutex_);
  std::erase_if(watched_, [&world](const Watched& watched) { return watched.world == &world; });
}

void MachineWatchdog::run() {
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, std::chrono::duration<double>(tick_seconds),
                          [this] { return over_; })) {
    for (Watched& watched : watched_) look_at(watched);
    lock.unlock();
    tick_();
    lock.lock();
  }
}

// A thread that is in the strategy, not in a handler, takes no notice.
void MachineWatchdog::look_at(Watched& watched) const {
  const std::uint64_t progress = watched.world->progress().load(std::memory_order_relaxed);
  watched.unchanged_seconds =
      progress == watched.progress ? watched.unchanged_seconds + tick_seconds : 0;
  watched.progress = progress;
  if (hang_seconds_ <= 0 || watched.unchanged_seconds < hang_seconds_) return;
  watched.unchanged_seconds = 0;
  machines::interrupt_handler(watched.thread);
}

}  // namespace ricercar::inline machine_search
