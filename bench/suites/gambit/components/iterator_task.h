// The coordination runtime's iterator: a handler in stages. Each stage names the port whose next
// item it awaits, and the next stage runs with that item, on any worker, never two at a time.
#pragma once

#include <atomic>
#include <functional>
#include <utility>

#include "dispatcher.h"
#include "port.h"

namespace gambit {

enum class IteratorBug {
  none,
  // A stage that ends looks whether its item has arrived already and, if not, parks the iterator;
  // the two are separate steps. An item that arrives between them finds the iterator running,
  // leaves its signal, and the parking overwrites it: the iterator is never resumed.
  lost_resume,
};

class IteratorTask {
 public:
  // Runs a stage with the item that the stage before has awaited (0 for the first) and returns the
  // port to await next; null: that was the last stage.
  using Body = std::function<Port<int>*(int item)>;

  IteratorTask(Dispatcher& dispatcher, IteratorBug bug, Body body)
      : dispatcher_(dispatcher), bug_(bug), body_(std::move(body)) {}

  void start() {
    dispatcher_.post([this] { run(); });
  }

  bool finished() const { return state_ == State::finished; }

 private:
  enum class State { running, signalled, parked, finished };

  void run() {
    do {
      state_ = State::running;
      Port<int>* const awaited = body_(item_);
      if (awaited == nullptr) {
        state_ = State::finished;
        return;
      }
      awaited->receive([this](int item) { resume(item); });
    } while (!park());
  }

  // False: the item has arrived in the meantime, so the next stage is this worker's.
  bool park() {
    if (bug_ == IteratorBug::lost_resume) {
      if (state_ == State::signalled) return false;
      state_ = State::parked;
      return true;
    }
    State expected = State::running;
    return state_.compare_exchange_strong(expected, State::parked);
  }

  void resume(int item) {
    item_ = item;
    if (state_.exchange(State::signalled) == State::parked) {
      dispatcher_.post_follow_up([this] { run(); });
    }
  }

  Dispatcher& dispatcher_;
  const IteratorBug bug_;
  const Body body_;
  int item_ = 0;  // handed over with state_
  std::atomic<State> state_ = State::parked;
};

}  // namespace gambit
