#include <cassert>
#include <cerrno>

#include "errors.h"
#include "monitor.h"
#include "mutex.h"

namespace hapset::pool {
namespace {

void expect_success(int error, const char* what) {
  if (error != 0) throw SystemFailure(what);
}

}  // namespace

timespec to_timespec(TimePoint time) {
  using namespace std::chrono;
  const auto since_start = duration_cast<nanoseconds>(time.time_since_epoch()).count();
  timespec result = {};
  result.tv_sec = static_cast<time_t>(since_start / 1'000'000'000);
  result.tv_nsec = static_cast<long>(since_start % 1'000'000'000);
  return result;
}

Mutex::Mutex() { expect_success(pthread_mutex_init(&mutex_, nullptr), "no mutex"); }

Mutex::~Mutex() { pthread_mutex_destroy(&mutex_); }

void Mutex::lock() { expect_success(pthread_mutex_lock(&mutex_), "cannot lock"); }

bool Mutex::try_lock() { return pthread_mutex_trylock(&mutex_) == 0; }

bool Mutex::lock_until(TimePoint deadline) {
  const timespec time = to_timespec(deadline);
  const int error = pthread_mutex_clocklock(&mutex_, CLOCK_MONOTONIC, &time);
  if (error == ETIMEDOUT) return false;
  expect_success(error, "cannot lock");
  return true;
}

void Mutex::unlock() { pthread_mutex_unlock(&mutex_); }

ReadWriteMutex::ReadWriteMutex() {
  expect_success(pthread_rwlock_init(&lock_, nullptr), "no lock for readers and a writer");
}

ReadWriteMutex::~ReadWriteMutex() { pthread_rwlock_destroy(&lock_); }

void ReadWriteMutex::lock_to_read() {
  expect_success(pthread_rwlock_rdlock(&lock_), "cannot lock to read");
}

void ReadWriteMutex::lock_to_write() {
  expect_success(pthread_rwlock_wrlock(&lock_), "cannot lock to write");
}

bool ReadWriteMutex::try_lock_to_read() { return pthread_rwlock_tryrdlock(&lock_) == 0; }

bool ReadWriteMutex::try_lock_to_write() { return pthread_rwlock_trywrlock(&lock_) == 0; }

void ReadWriteMutex::unlock() { pthread_rwlock_unlock(&lock_); }

Monitor::Monitor() : own_mutex_(std::make_unique<Mutex>()), mutex_(own_mutex_.get()) {
  make_condition();
}

Monitor::Monitor(Monitor& owner) : mutex_(owner.mutex_) { make_condition(); }

Monitor::~Monitor() { pthread_cond_destroy(&condition_); }

void Monitor::make_condition() {
  pthread_condattr_t attributes;
  expect_success(pthread_condattr_init(&attributes), "no attributes of a condition");
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  const int error = pthread_cond_init(&condition_, &attributes);
  pthread_condattr_destroy(&attributes);
  expect_success(error, "no condition");
}

void Monitor::wait() {
  expect_success(pthread_cond_wait(&condition_, &mutex_->native()), "cannot wait");
}

bool Monitor::wait_until(TimePoint deadline) {
  const timespec time = to_timespec(deadline);
  const int error = pthread_cond_timedwait(&condition_, &mutex_->native(), &time);
  if (error == ETIMEDOUT) return false;
  expect_success(error, "cannot wait");
  return true;
}

void Monitor::notify() { pthread_cond_signal(&condition_); }

void Monitor::notify_all() { pthread_cond_broadcast(&condition_); }

void Latch::count_down() {
  const Synchronized synchronized(monitor_);
  assert(count_ > 0);
  if (--count_ == 0) monitor_.notify_all();
}

void Latch::wait() {
  const Synchronized synchronized(monitor_);
  while (count_ > 0) monitor_.wait();
}

int Latch::count() {
  const Synchronized synchronized(monitor_);
  return count_;
}

}  // namespace hapset::pool
