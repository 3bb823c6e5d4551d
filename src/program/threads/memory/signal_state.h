// Signals across executions: dispositions, the mask, and the alternative stack.
//
// Some signals are the runtime's own. The program's handler for one of them is only remembered, and
// the program cannot block it.
#pragma once

#include <signal.h>

#include <cstdint>

namespace ricercar::inline threads {

using SignalHandler = void (*)(int, siginfo_t*, void*);

struct SavedSignals {
  static constexpr int count = 65;

  // As the kernel has it, so that it goes back as it came.
  struct KernelAction {
    void* handler;
    std::uint64_t flags;
    void* restorer;
    std::uint64_t mask;
  };

  KernelAction saved_actions[count] = {};
  struct sigaction program_actions[count] = {};
  struct sigaction saved_program_actions[count] = {};
  std::uint64_t own_signals = 0;      // bit n: signal n
  std::uint64_t changed_actions = 0;  // the same
  std::uint64_t guarded_signals = 0;  // the same
  std::uint64_t saved_mask = 0;
  stack_t saved_stack = {};
  SignalHandler guard_of_signals = nullptr;
  bool mask_changed = false;
  bool stack_changed = false;
  // The program has installed a handler; whoever begins an execution puts it back.
  bool program_has_handlers = false;
};

void signals_take();
void signals_restore();

void own_signal(int signal);
bool is_own_signal(int signal);
struct sigaction& program_action_of(int signal);

void note_signal_action(int signal);
void note_signal_mask();
void note_signal_stack();

// While the program is under control each of its threads has a mask of its own. Null: the kernel's
// is the only one. Called as pthread_sigmask; false: the caller is no thread of the program.
struct MaskChange {
  int how;
  const sigset_t* set;
  sigset_t* old;
  void* caller;
};
extern bool (*mask_of_threads)(const MaskChange& change, int& error);

// The set without the runtime's own signals.
sigset_t blockable(const sigset_t& set);

// Other signals whose default action would end the process before anybody could say why. Where the
// program leaves or puts the default, `guard` is installed, and the program still sees SIG_DFL.
void guard_signal(int signal, SignalHandler guard);
// What to install where the program wants `action`, and what it sees of what is installed.
struct sigaction guarded(int signal, const struct sigaction& action);
void hide_guard(int signal, struct sigaction& action);

// Whether this signal, if it is not blocked, stops the process now.
bool is_stopping(int signal);

}  // namespace ricercar::inline threads
