// Threads of the pool, what they run, and the factory that makes them.
#pragma once

#include <pthread.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

#include "mutex.h"

namespace hapset::pool {

class Thread;

// What a thread or a worker of the pool runs. An object may be run more than once, by one thread at
// a time.
class Runnable {
 public:
  Runnable() = default;
  virtual ~Runnable() = default;
  Runnable(const Runnable&) = delete;
  Runnable& operator=(const Runnable&) = delete;

  virtual void run() = 0;

  // The thread that was made for this object; null for tasks of the pool.
  Thread* thread() const { return thread_; }
  void set_thread(Thread* thread) { thread_ = thread; }

 private:
  Thread* thread_ = nullptr;
};

// A function as something to run.
class FunctionRunner : public Runnable {
 public:
  explicit FunctionRunner(std::function<void()> function) : function_(std::move(function)) {}
  void run() override { function_(); }

  static std::unique_ptr<Runnable> make(std::function<void()> function) {
    return std::make_unique<FunctionRunner>(std::move(function));
  }

 private:
  const std::function<void()> function_;
};

struct ThreadOptions {
  std::size_t stack_bytes = 0;  // 0: what the system gives
};

// A thread that begins with start() and is joined when it is destroyed, at the latest.
class Thread {
 public:
  Thread(ThreadOptions options, std::unique_ptr<Runnable> runnable);
  ~Thread();
  Thread(const Thread&) = delete;
  Thread& operator=(const Thread&) = delete;

  // Returns when the thread exists, not when it runs.
  void start();
  // Does nothing for a thread that was never started or has been joined. One thread only may call
  // it.
  void join();
  // Is this the thread that calls?
  bool is_current() const;

 private:
  static void* enter(void* argument);

  const ThreadOptions options_;
  const std::unique_ptr<Runnable> runnable_;
  bool is_joinable_ = false;
  pthread_t native_ = {};
};

// Makes threads that are all alike.
class ThreadFactory {
 public:
  explicit ThreadFactory(ThreadOptions options = {}) : options_(options) {}

  std::unique_ptr<Thread> make(std::unique_ptr<Runnable> runnable) const;
  ThreadOptions options() const { return options_; }

 private:
  const ThreadOptions options_;
};

}  // namespace hapset::pool
