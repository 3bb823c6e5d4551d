// Executes a generated program with real threads and real objects. For code under control: a
// header, so that it is compiled with the test that includes it.
#pragma once

#include <pthread.h>
#include <semaphore.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "generated/program.h"

namespace ricercar::test {

// The objects of one execution, and threads that interpret a program on them.
class Machine {
 public:
  explicit Machine(const Program& program) : program_(program) {
    sem_init(&semaphore_, 0, 0);
    pthread_barrier_init(&barrier_, nullptr, static_cast<unsigned>(program.size()));
    for (std::size_t i = 0; i < nodes; ++i) nodes_[i] = new Node;
  }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  ~Machine() {
    for (std::size_t i = 0; i < nodes; ++i) {
      if (!is_freed_[i]) delete nodes_[i];
    }
  }

  Final run() {
    std::thread threads[max_threads];
    for (std::size_t i = 0; i < program_.size(); ++i) {
      threads[i] = std::thread([this, i] { interpret(i); });
    }
    for (std::size_t i = 0; i < program_.size(); ++i) threads[i].join();
    for (int i = 0; i < variables; ++i) {
      final_.values[static_cast<std::size_t>(i)] = static_cast<std::int8_t>(variable(i).load());
    }
    return final_;
  }

 private:
  std::atomic<int>& variable(int number) { return variables_[static_cast<std::size_t>(number)]; }
  // No instrumented destructor: freeing is all that happens.
  struct Node {
    std::atomic<int> value = 0;
    int constant = 7;
  };
  Node& node(int number) { return *nodes_[static_cast<std::size_t>(number)]; }
  std::mutex& mutex(int number) { return mutexes_[static_cast<std::size_t>(number)]; }

  void interpret(std::size_t thread) {
    const Thread& operations = program_[thread];
    for (std::size_t i = 0; i < operations.size(); ++i) {
      const int result = perform(operations[i]);
      final_.results[thread][i] = static_cast<std::int8_t>(result);
      const Kind kind = operations[i].kind;
      if ((kind == Kind::try_lock || kind == Kind::timed_lock) && result == 0) {
        i += static_cast<std::size_t>(operations[i].second);
      }
    }
  }

  int perform(const Operation& operation) {
    switch (operation.kind) {
      case Kind::load:
        return variable(operation.object).load();
      case Kind::store:
        variable(operation.object).store(operation.first);
        return 0;
      case Kind::add:
        return variable(operation.object).fetch_add(operation.first);
      case Kind::compare_exchange:
        return compare_exchange(operation) ? 1 : 0;
      case Kind::lock:
        mutex(operation.object).lock();
        return 0;
      case Kind::unlock:
        mutex(operation.object).unlock();
        return 0;
      case Kind::try_lock:
        return mutex(operation.object).try_lock() ? 1 : 0;
      case Kind::timed_lock:
        return timed_lock(operation) ? 1 : 0;
      case Kind::take:
        return sem_wait(&semaphore_) == 0 ? 1 : 0;
      case Kind::timed_take:
        return timed_take(operation) ? 1 : 0;
      case Kind::use_node:
        return node(operation.object).value.fetch_add(operation.first);
      case Kind::read_node:
        return node(operation.object).constant;
      case Kind::free_node:
        delete &node(operation.object);
        is_freed_[static_cast<std::size_t>(operation.object)] = true;
        return 0;
      default:
        synchronise(operation.kind);
        return 0;
    }
  }

  bool compare_exchange(const Operation& operation) {
    int expected = operation.first;
    return variable(operation.object).compare_exchange_strong(expected, operation.second);
  }

  // An absolute time; in virtual time it is far away.
  static timespec moment(const Operation& operation) { return {100000 + operation.first, 0}; }

  bool timed_lock(const Operation& operation) {
    const timespec limit = moment(operation);
    return pthread_mutex_clocklock(mutex(operation.object).native_handle(), CLOCK_MONOTONIC,
                                   &limit) == 0;
  }

  bool timed_take(const Operation& operation) {
    const timespec limit = moment(operation);
    return sem_clockwait(&semaphore_, CLOCK_MONOTONIC, &limit) == 0;
  }

  void synchronise(Kind kind) {
    switch (kind) {
      case Kind::post:
        sem_post(&semaphore_);
        return;
      case Kind::read_lock:
        pthread_rwlock_rdlock(&shared_lock_);
        return;
      case Kind::write_lock:
        pthread_rwlock_wrlock(&shared_lock_);
        return;
      case Kind::release:
        pthread_rwlock_unlock(&shared_lock_);
        return;
      case Kind::wait_for_flag:
        while (!final_.flag) wait();
        return;
      case Kind::wait_once:
        wait();
        return;
      case Kind::raise_flag:
        final_.flag = true;
        return;
      case Kind::signal:
        condition_.notify_one();
        return;
      case Kind::broadcast:
        condition_.notify_all();
        return;
      case Kind::barrier:
        pthread_barrier_wait(&barrier_);
        return;
      default:
        std::this_thread::yield();
    }
  }

  // The mutex is held, and will be unlocked by an operation of its own.
  void wait() {
    std::unique_lock lock(mutexes_[0], std::adopt_lock);
    condition_.wait(lock);
    lock.release();
  }

  const Program& program_;
  Final final_;
  std::atomic<int> variables_[variables] = {};
  std::mutex mutexes_[mutexes];
  std::condition_variable condition_;
  pthread_rwlock_t shared_lock_ = PTHREAD_RWLOCK_INITIALIZER;
  sem_t semaphore_;
  pthread_barrier_t barrier_;
  Node* nodes_[nodes];
  bool is_freed_[nodes] = {};
};

}  // namespace ricercar::test
