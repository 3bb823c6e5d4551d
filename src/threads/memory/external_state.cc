#include "threads/memory/external_state.h"

namespace ricercar {
namespace {

constinit struct sigaction program_actions[65] = {};

}  // namespace

constinit bool tracking = false;

void external_state_take() {}
void external_state_restore() {}
void external_state_own_signal(int) {}
const struct sigaction& program_action(int signal) { return program_actions[signal]; }

}  // namespace ricercar
