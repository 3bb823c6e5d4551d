// Channels and select, as in Go: values pass from one thread to another, and a thread can wait for
// the first of several channels or for a time limit. Thread-safe.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <optional>

namespace suite {

// All channels share one lock: a select looks at several of them at once.
inline std::mutex channels_mutex;
inline std::condition_variable channels_changed;

[[noreturn]] inline void panic(const char* why) {
  std::fprintf(stderr, "panic: %s\n", why);
  std::abort();
}

// Without capacity a sender waits until its value has been taken.
template <typename T>
class Channel {
 public:
  explicit Channel(std::size_t capacity = 0) : capacity_(capacity) {}

  void send(T value) {
    std::unique_lock lock(channels_mutex);
    if (capacity_ > 0) {
      channels_changed.wait(lock, [&] { return is_closed_ || values_.size() < capacity_; });
    }
    if (is_closed_) panic("send on closed channel");
    values_.push_back(std::move(value));
    const std::size_t ticket = ++sent_;
    channels_changed.notify_all();
    if (capacity_ == 0) channels_changed.wait(lock, [&] { return taken_ >= ticket; });
  }

  // Nothing: it is closed, and empty.
  std::optional<T> receive() {
    std::unique_lock lock(channels_mutex);
    channels_changed.wait(lock, [&] { return can_receive(); });
    return take();
  }

  void close() {
    const std::lock_guard guard(channels_mutex);
    if (is_closed_) panic("close of closed channel");
    is_closed_ = true;
    channels_changed.notify_all();
  }

  // Under the lock of all channels.
  bool can_receive() const { return is_closed_ || !values_.empty(); }
  std::optional<T> take() {
    if (values_.empty()) return std::nullopt;
    std::optional<T> value(std::move(values_.front()));
    values_.pop_front();
    ++taken_;
    channels_changed.notify_all();
    return value;
  }

 private:
  const std::size_t capacity_;
  bool is_closed_ = false;
  std::deque<T> values_;
  std::size_t sent_ = 0;
  std::size_t taken_ = 0;
};

// One case of a select: what to do with a value of this channel.
template <typename T, typename Action>
struct Case {
  Channel<T>& channel;
  Action action;
};
template <typename T, typename Action>
Case(Channel<T>&, Action) -> Case<T, Action>;

// Waits for the first channel that has something and calls its action; of several the first one in
// the list. False: the time is over.
template <typename... Cases>
bool select(std::chrono::milliseconds limit, Cases... cases) {
  std::unique_lock lock(channels_mutex);
  const auto any = [&] { return (cases.channel.can_receive() || ...); };
  if (!channels_changed.wait_for(lock, limit, any)) return false;
  const auto act = [&](auto& each) {
    if (!each.channel.can_receive()) return false;
    auto value = each.channel.take();
    lock.unlock();
    each.action(std::move(value));
    return true;
  };
  return (act(cases) || ...);
}

}  // namespace suite
