// Threads that run what is ready. Each has a queue of its own and takes from the others' when that
// is empty.
//
// A slot is the right to run, with a queue that belongs to it: there are as many slots as threads
// that may run at once. A thread that is going to wait for long gives its slot to another thread,
// which is started if need be, and runs to the end of what it was doing without one.
//
// All member functions are thread-safe. What is submitted is not owned.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace ricercar::deploy {

class Runnable {
 public:
  virtual void run() = 0;

 protected:
  ~Runnable() = default;
};

class WorkerPool {
 public:
  WorkerPool(std::size_t slots, std::size_t most_threads);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  void start();
  // Comes back when nothing runs any more. What was submitted and has not begun never will. Not to
  // be called from a worker.
  void stop();

  void submit(Runnable* runnable);

  // Called by what runs on a worker, in front of a long wait. False, and nothing has changed: there
  // are `most_threads` threads already.
  bool give_slot_away();

  bool is_worker() const;  // whether the calling thread is one of this pool

 private:
  static constexpr std::size_t no_slot = static_cast<std::size_t>(-1);

  struct alignas(64) Slot {
    std::mutex mutex;
    std::deque<Runnable*> queue;
  };

  void work(std::size_t slot);
  bool add_thread(std::size_t slot);
  Runnable* next(std::size_t slot);
  Runnable* find(std::size_t slot);
  Runnable* take_from(Slot& from);
  Runnable* steal(std::size_t slot);
  std::size_t wait_for_slot();
  bool is_work_left();
  void wake_one();

  Slot submitted_;  // from threads that have no slot
  std::vector<Slot> slots_;
  const std::size_t most_threads_;

  std::atomic<bool> stopping_ = false;

  std::mutex sleep_mutex_;
  std::condition_variable sleep_;
  std::atomic<std::size_t> sleepers_ = 0;
  // A sleeper has been called and has not looked around yet; it will find what comes meanwhile.
  std::atomic<bool> called_ = false;

  std::mutex threads_mutex_;
  std::condition_variable slot_is_free_;
  std::vector<std::thread> threads_;
  std::size_t spare_ = 0;                // threads that wait for a slot
  std::vector<std::size_t> free_slots_;  // given away, and not yet taken by a spare thread
};

}  // namespace ricercar::deploy
