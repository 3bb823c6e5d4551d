// A queue of events that costs nothing while it is empty: there may be very many machines.
#pragma once

#include <ricercar/detail/machine_type.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

namespace ricercar::deploy {

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

}  // namespace ricercar::deploy
