// A barrier whose participants may come and go. All of its state is one word, so every change is
// one compare-exchange.
#pragma once

#include <atomic>
#include <cstdint>

#include "spin.h"

namespace gambit {

enum class DynamicBarrierBug {
  none,
  // A newcomer is told a phase that was read before it became a participant. If the others complete
  // that phase in between, it takes part in the next one and believes to be in the last.
  stale_phase,
};

class DynamicBarrier {
 public:
  DynamicBarrier(std::uint8_t participants, DynamicBarrierBug bug)
      : bug_(bug), state_(State{0, 0, participants}) {}

  // The phase that the newcomer takes part in.
  int add_participant() {
    const State before = state_;
    const State now = change([](State state) {
      ++state.participants;
      return state;
    });
    return bug_ == DynamicBarrierBug::stale_phase ? before.phase : now.phase;
  }

  void remove_participant() {
    change([](State state) {
      --state.participants;
      return complete_if_all_arrived(state);
    });
  }

  void signal_and_wait() {
    const State before = change([](State state) {
      ++state.arrived;
      return complete_if_all_arrived(state);
    });
    spin_until([this, before] { return phase() != before.phase; });
  }

  int phase() const { return state_.load().phase; }

 private:
  // Aligned as a word, or clang++ calls a library for every access.
  struct alignas(std::uint32_t) State {
    std::uint16_t phase;
    std::uint8_t arrived;
    std::uint8_t participants;
  };

  static State complete_if_all_arrived(State state) {
    if (state.arrived == 0 || state.arrived < state.participants) return state;
    ++state.phase;
    state.arrived = 0;
    return state;
  }

  // Applies the change at once and returns the state before it.
  template <typename Change>
  State change(Change make) {
    State state = state_;
    while (!state_.compare_exchange_strong(state, make(state))) {
    }
    return state;
  }

  const DynamicBarrierBug bug_;
  std::atomic<State> state_;
};

}  // namespace gambit
