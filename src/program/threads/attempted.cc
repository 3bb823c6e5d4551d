#include "threads/attempted.h"

#include <errno.h>

#include "threads/descriptor.h"
#include "threads/node_files.h"

namespace ricercar::inline threads {

bool Attempted::make() {
  if (done) return true;
  if (is_about_files) note_file_lock();
  result = attempt(arguments);
  done = result != would_block;
  has_waited |= !done;
  return done;
}

long make_attempted(const char* name, Attempted& call, std::uint64_t site,
                    const std::uint64_t* deadline) {
  const auto ready = [](void* state) { return static_cast<Attempted*>(state)->make(); };
  released_through(kernel_channel());
  const Readiness why = wait_until_ready({name, ready, &call, all_descriptors(), deadline}, site);
  if (why != Readiness::ready && !call.done) {
    return why == Readiness::timed_out ? -ETIMEDOUT : -EINTR;
  }
  acquired_through(kernel_channel());
  channel_changed();
  return call.result;
}

}  // namespace ricercar::inline threads
