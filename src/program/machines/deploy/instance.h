// One machine of a deployment: its queue, its state, and how it is run.
//
// What others may do to it at any time (events that arrive, crash, restart, stop) is behind its
// mutex. The rest belongs to the worker that runs it, and there is at most one: an instance is
// submitted to the pool only when it leaves Phase::idle.
#pragma once

#include <ricercar/detail/machine_type.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "base/random.h"
#include "machines/deploy/event_queue.h"
#include "machines/deploy/worker_pool.h"
#include "machines/dispatch.h"

namespace ricercar::deploy {

class Host;

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
