#include "search/place_question.h"

#include <linux/futex.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>

#include "base/system_call.h"
#include "model/shared_array.h"
#include "strategy/hapset/statements.h"
#include "threads/recorder.h"
#include "worker/runtime.h"

namespace ricercar::inline worker {
namespace {

constexpr timespec patience = {0, 200'000'000};

void put(std::span<const std::uint64_t> addresses) {
  Control& control = *attached_control();
  PlaceQuestion& question = control.question;
  question.addresses = to_shared(addresses);
  question.modules = to_shared(loaded_modules());
  question.state.store(PlaceQuestion::asked);
  system_call(SYS_kill, control.tool, signal_of_question);
  while (question.state.load() == PlaceQuestion::asked) {
    system_call(SYS_futex, reinterpret_cast<long>(&question.state), FUTEX_WAIT,
                PlaceQuestion::asked, reinterpret_cast<long>(&patience));
    if (system_call(SYS_kill, control.tool, 0) != 0) system_call(SYS_exit_group, worker_done);
  }
}

Places ask(std::span<const std::uint64_t> addresses) {
  PlaceQuestion& question = attached_control()->question;
  question.is_about_suppression = false;
  put(addresses);
  return {{question.places.begin(), question.places.end()},
          {question.ends.begin(), question.ends.end()}};
}

}  // namespace

}  // namespace ricercar::inline worker

namespace ricercar::inline search {

std::uint32_t ask_for_suppression(OutcomeKind kind, std::span<const std::uint64_t> addresses,
                                  std::span<const std::uint32_t> stack_ends) {
  if (attached_control() == nullptr) return 0;
  PlaceQuestion& question = attached_control()->question;
  question.is_about_suppression = true;
  question.kind = kind;
  question.stack_ends = to_shared(stack_ends);
  put(addresses);
  return question.suppression;
}

void ask_tool_for_places() {
  if (attached_control() != nullptr) find_places = ask;
}

}  // namespace ricercar::inline search
