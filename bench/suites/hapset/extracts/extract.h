// What the extracts share: the beginning and the end of threads, and traffic between threads that
// has nothing to do with the bug, which a search has to get through all the same.
#pragma once

#include <pthread.h>

#include <cassert>
#include <cstddef>

#include "../components/arguments.h"

namespace hapset {

inline pthread_t start(void* (*body)(void*), void* argument = nullptr) {
  pthread_t thread;
  [[maybe_unused]] const int error = pthread_create(&thread, nullptr, body, argument);
  assert(error == 0);
  return thread;
}

inline void join(pthread_t thread) {
  [[maybe_unused]] const int error = pthread_join(thread, nullptr);
  assert(error == 0);
}

// Figures that all threads add to.
class Statistics {
 public:
  void add(int amount) {
    pthread_mutex_lock(&lock_);
    total_ += amount;
    ++entries_;
    pthread_mutex_unlock(&lock_);
  }

  int total() {
    pthread_mutex_lock(&lock_);
    const int total = total_;
    pthread_mutex_unlock(&lock_);
    return total;
  }

 private:
  pthread_mutex_t lock_ = PTHREAD_MUTEX_INITIALIZER;
  int total_ = 0;
  int entries_ = 0;
};

// Small messages between threads. Nobody waits: who comes too early goes away with nothing.
class Mailbox {
 public:
  bool post(int message) {
    pthread_mutex_lock(&lock_);
    const bool has_room = last_ - first_ < capacity;
    if (has_room) messages_[last_++ % capacity] = message;
    pthread_mutex_unlock(&lock_);
    return has_room;
  }

  bool take(int& message) {
    pthread_mutex_lock(&lock_);
    const bool has_message = first_ != last_;
    if (has_message) message = messages_[first_++ % capacity];
    pthread_mutex_unlock(&lock_);
    return has_message;
  }

 private:
  static constexpr std::size_t capacity = 8;

  pthread_mutex_t lock_ = PTHREAD_MUTEX_INITIALIZER;
  int messages_[capacity] = {};
  std::size_t first_ = 0;
  std::size_t last_ = 0;
};

}  // namespace hapset
