// The coordination runtime's port: items wait for receivers, receivers wait for items, and a pair
// of both becomes a task of the dispatcher. Safe for any number of threads.
#pragma once

#include <deque>
#include <functional>
#include <mutex>
#include <utility>

#include "dispatcher.h"

namespace gambit {

template <typename Item>
class Port {
 public:
  using Handler = std::function<void(Item)>;

  explicit Port(Dispatcher& dispatcher) : dispatcher_(dispatcher) {}

  void post(Item item) {
    Handler handler;
    {
      const std::lock_guard lock(mutex_);
      if (receivers_.empty()) {
        items_.push_back(std::move(item));
        return;
      }
      handler = std::move(receivers_.front());
      receivers_.pop_front();
    }
    dispatch(std::move(handler), std::move(item));
  }

  // The handler runs once, with one item.
  void receive(Handler handler) {
    Item item;
    {
      const std::lock_guard lock(mutex_);
      if (items_.empty()) {
        receivers_.push_back(std::move(handler));
        return;
      }
      item = std::move(items_.front());
      items_.pop_front();
    }
    dispatch(std::move(handler), std::move(item));
  }

 private:
  void dispatch(Handler handler, Item item) {
    dispatcher_.post_follow_up(
        [handler = std::move(handler), item = std::move(item)] { handler(item); });
  }

  Dispatcher& dispatcher_;
  std::mutex mutex_;
  std::deque<Item> items_;         // empty, or there are no receivers
  std::deque<Handler> receivers_;  // empty, or there are no items
};

}  // namespace gambit
