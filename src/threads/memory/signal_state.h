// Signals across executions: dispositions, the mask, and the alternative stack.
//
// Some signals are the runtime's own. The program's handler for one of them is only remembered, and
// the program cannot block it.
#pragma once

#include <signal.h>

namespace ricercar {

void signals_take();
void signals_restore();

void own_signal(int signal);
bool is_own_signal(int signal);
struct sigaction& program_action_of(int signal);

void note_signal_action(int signal);
void note_signal_mask();
void note_signal_stack();

// The set without the runtime's own signals.
sigset_t blockable(const sigset_t& set);

}  // namespace ricercar
