#include "machines/deploy/worker_pool.h"

#include <system_error>

#include "base/check.h"

namespace ricercar::deploy {
namespace {

// What a thread looks at before it sleeps: calling it back costs more than looking.
constexpr int looks_before_sleep = 64;
// A worker with work of its own looks this often at what comes from outside.
constexpr std::size_t own_turns = 61;

struct Current {
  const WorkerPool* pool = nullptr;
  std::size_t slot = 0;
  std::size_t turns = 0;
};
thread_local Current current;

}  // namespace

WorkerPool::WorkerPool(std::size_t slots, std::size_t most_threads)
    : slots_(slots), most_threads_(most_threads) {
  RICERCAR_CHECK(slots > 0 && most_threads >= slots);
}

WorkerPool::~WorkerPool() { stop(); }

void WorkerPool::start() {
  const std::lock_guard lock(threads_mutex_);
  for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
    if (!add_thread(slot)) {
      throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again),
                              "the threads of a deployment cannot be started");
    }
  }
}

// With threads_mutex_ held.
bool WorkerPool::add_thread(std::size_t slot) {
  if (threads_.size() == most_threads_) return false;
  try {
    threads_.emplace_back([this, slot] { work(slot); });
    return true;
  } catch (const std::system_error&) {
    return false;
  }
}

void WorkerPool::stop() {
  stopping_ = true;
  { const std::lock_guard lock(sleep_mutex_); }
  sleep_.notify_all();
  std::vector<std::thread> threads;
  {
    const std::lock_guard lock(threads_mutex_);
    slot_is_free_.notify_all();
    threads.swap(threads_);
  }
  for (std::thread& thread : threads) thread.join();
}

bool WorkerPool::is_worker() const { return current.pool == this; }

void WorkerPool::submit(Runnable* runnable) {
  const bool has_slot = is_worker() && current.slot != no_slot;
  Slot& slot = has_slot ? slots_[current.slot] : submitted_;
  {
    const std::lock_guard lock(slot.mutex);
    slot.queue.push_back(runnable);
  }
  // A sleeper counts itself before it looks at the queues, so either it finds this or is seen here.
  if (sleepers_ > 0 && !called_) wake_one();
}

void WorkerPool::wake_one() {
  const std::lock_guard lock(sleep_mutex_);
  if (sleepers_ == 0 || called_) return;
  called_ = true;
  sleep_.notify_one();
}

bool WorkerPool::give_slot_away() {
  RICERCAR_CHECK(is_worker());
  if (current.slot == no_slot) return true;
  const std::lock_guard lock(threads_mutex_);
  if (stopping_) return true;
  if (spare_ > free_slots_.size()) {
    free_slots_.push_back(current.slot);
    slot_is_free_.notify_one();
  } else if (!add_thread(current.slot)) {
    return false;
  }
  current.slot = no_slot;
  return true;
}

// Returns no_slot when the pool stops.
std::size_t WorkerPool::wait_for_slot() {
  std::unique_lock lock(threads_mutex_);
  ++spare_;
  slot_is_free_.wait(lock, [this] { return stopping_ || !free_slots_.empty(); });
  --spare_;
  if (stopping_) return no_slot;
  const std::size_t slot = free_slots_.back();
  free_slots_.pop_back();
  return slot;
}

void WorkerPool::work(std::size_t slot) {
  current = {this, slot, 0};
  while (!stopping_) {
    Runnable* const runnable = next(current.slot);
    if (runnable == nullptr) break;
    runnable->run();
    if (current.slot == no_slot) current.slot = wait_for_slot();
    if (current.slot == no_slot) break;
  }
  current = {};
}

// Waits for work; nullptr when the pool stops.
Runnable* WorkerPool::next(std::size_t slot) {
  for (int looks = 0; looks < looks_before_sleep; ++looks) {
    if (Runnable* found = find(slot)) return found;
    std::this_thread::yield();
  }
  while (!stopping_) {
    std::unique_lock lock(sleep_mutex_);
    ++sleepers_;
    if (!is_work_left()) sleep_.wait(lock, [this] { return called_ || stopping_; });
    --sleepers_;
    called_ = false;
    lock.unlock();
    Runnable* const found = find(slot);
    if (found == nullptr) continue;
    // Only one sleeper is called at a time: it calls the next one.
    if (sleepers_ > 0 && is_work_left()) wake_one();
    return found;
  }
  return nullptr;
}

Runnable* WorkerPool::find(std::size_t slot) {
  if (++current.turns % own_turns == 0) {
    if (Runnable* found = take_from(submitted_)) return found;
  }
  if (Runnable* found = take_from(slots_[slot])) return found;
  if (Runnable* found = take_from(submitted_)) return found;
  return steal(slot);
}

Runnable* WorkerPool::take_from(Slot& from) {
  const std::lock_guard lock(from.mutex);
  if (from.queue.empty()) return nullptr;
  Runnable* const first = from.queue.front();
  from.queue.pop_front();
  return first;
}

// Takes half of what another one has: the older half, which has waited longest.
Runnable* WorkerPool::steal(std::size_t slot) {
  for (std::size_t i = 1; i < slots_.size(); ++i) {
    Slot& victim = slots_[(slot + i) % slots_.size()];
    std::vector<Runnable*> loot;
    {
      const std::lock_guard lock(victim.mutex);
      const auto half = static_cast<std::ptrdiff_t>((victim.queue.size() + 1) / 2);
      loot.assign(victim.queue.begin(), victim.queue.begin() + half);
      victim.queue.erase(victim.queue.begin(), victim.queue.begin() + half);
    }
    if (loot.empty()) continue;
    const std::lock_guard lock(slots_[slot].mutex);
    slots_[slot].queue.insert(slots_[slot].queue.end(), loot.begin() + 1, loot.end());
    return loot.front();
  }
  return nullptr;
}

bool WorkerPool::is_work_left() {
  const auto has_some = [](Slot& slot) {
    const std::lock_guard lock(slot.mutex);
    return !slot.queue.empty();
  };
  for (Slot& slot : slots_) {
    if (has_some(slot)) return true;
  }
  return has_some(submitted_);
}

}  // namespace ricercar::deploy
