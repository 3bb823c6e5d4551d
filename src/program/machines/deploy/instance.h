// One machine of a deployment: its queue, its state, and how it is run.
//
// What others may do to it at any time (events that arrive, crash, restart, stop) is behind its
// mutex. The rest belongs to the worker that runs it, and there is at most one: an instance is
// submitted to the pool only when it leaves Phase::idle.
#pragma once

#include <ricercar/detail/machine_type.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "machines/deploy/worker_pool.h"
#include "machines/dispatch.h"

namespace ricercar::deploy {

class Host;

// A queue of events that costs nothing while it is empty: there may be very many machines.
inline bool is_one_of(std::span<const detail::EventType* const> types, const detail::Event& event) {
  return std::find(types.begin(), types.end(), event->type) != types.end();
}

class EventQueue {
 public:
  bool empty() const { return head_ == events_.size(); }
  void push_back(detail::Event event) { events_.push_back(std::move(event)); }
  // Moves all events of `from` behind the others.
  void append(std::vector<detail::Event>& from) {
    if (empty()) clear();
    events_.insert(events_.end(), std::make_move_iterator(from.begin()),
                   std::make_move_iterator(from.end()));
    from.clear();
  }
  // Moves all events of `older` in front of the others.
  void prepend(EventQueue& older) {
    if (older.empty()) return;
    older.append_rest_of(*this);
    std::swap(events_, older.events_);
    std::swap(head_, older.head_);
    older.clear();
  }
  detail::Event pop_front() {
    detail::Event event = std::move(events_[head_++]);
    if (empty()) clear();
    return event;
  }
  // The first one of these types, wherever it is; null if there is none.
  detail::Event take(std::span<const detail::EventType* const> types) {
    const auto begin = events_.begin() + static_cast<std::ptrdiff_t>(head_);
    const auto found = std::find_if(begin, events_.end(),
                                    [&](const auto& event) { return is_one_of(types, event); });
    if (found == events_.end()) return {};
    detail::Event event = std::move(*found);
    events_.erase(found);
    return event;
  }
  void clear() {
    events_.clear();
    head_ = 0;
  }
  void give_memory_back() {
    events_ = {};
    head_ = 0;
  }

 private:
  void append_rest_of(EventQueue& other) {
    events_.insert(
        events_.end(),
        std::make_move_iterator(other.events_.begin() + static_cast<std::ptrdiff_t>(other.head_)),
        std::make_move_iterator(other.events_.end()));
    other.clear();
  }

  std::vector<detail::Event> events_;
  std::size_t head_ = 0;  // what is in front of it is gone
};

class Instance final : public Runnable {
 public:
  // A new machine is scheduled: who creates it submits it.
  Instance(Host& host, MachineId id, detail::ObjectRef object, std::uint64_t seed);

  MachineId id() const { return id_; }
  std::string name() const;  // "Server#3"
  const detail::MachineType& type() const { return type_; }

  // Thread-safe.
  void enqueue(detail::Event event);
  void crash();
  void restart();
  void interrupt();  // ends a wait inside of receive(), because everything stops
  bool is_receiving() const;

  void run() override;

  // For the handler that runs.
  detail::Event receive(std::span<const detail::EventType* const> wanted);
  Random& random() { return random_; }

 private:
  enum class Phase : std::uint8_t {
    idle,       // has nothing to do
    scheduled,  // is in the pool, or runs
    receiving,  // its handler waits inside of receive()
  };
  struct Receiver {
    std::span<const detail::EventType* const> wanted;
    std::condition_variable arrived = {};
  };
  class Handling;

  void schedule(std::unique_lock<std::mutex> lock);
  void wake_receiver();
  bool take_arrived();
  bool start();
  bool handle(const detail::Event& event);
  template <typename Action>
  bool guarded(const Action& action);
  bool after_handler(const machines::Dispatch& dispatch);
  bool next_event(detail::Event& event);
  detail::Event take_wanted(std::span<const detail::EventType* const> wanted);
  void wait_for_wanted(std::span<const detail::EventType* const> wanted);
  bool fall();
  void lose_queue();
  void end();
  void rest(bool more);

  Host& host_;
  const MachineId id_;
  const detail::MachineType& type_;

  mutable std::mutex mutex_;
  std::vector<detail::Event> arrived_;
  Phase phase_ = Phase::scheduled;
  bool alive_ = true;    // takes events: has neither halted nor crashed
  bool halted_ = false;  // for ever
  // Has to be crashed before it goes on. Changed under the mutex, read between two handlers.
  std::atomic<bool> crashes_ = false;
  bool starts_ = true;  // has to enter its first state before it goes on
  Receiver* receiver_ = nullptr;

  // Of the worker.
  detail::ObjectRef object_;
  detail::ObjectRef first_;  // as it was created, for a restart; null: crash() makes the variables
  machines::StateStack stack_;
  EventQueue queue_;
  EventQueue deferred_;  // older than the queue; the stack has not changed since
  Random random_;
};

}  // namespace ricercar::deploy
