#include "threads/streams.h"

#include <sys/stat.h>
#include <sys/syscall.h>

#include "threads/execution.h"
#include "threads/memory/not_modelled.h"
#include "threads/memory_access.h"
#include "threads/real.h"

namespace ricercar::inline threads {
namespace {

// Whether another task has done the like, and nothing orders the two.
bool meets_another(std::uint64_t byte, bool is_write, std::uint64_t site) {
  RaceDetector* races = execution.races();
  if (races == nullptr) return false;
  const TaskId self = execution.self().id;
  const std::uint64_t event = execution.accesses.event;
  return (is_write ? races->write(self, byte, 1, site, event)
                   : races->read(self, byte, 1, site, event)) != nullptr;
}

// Terminals, pipes and /dev/null are the outside world.
bool leads_to_file(FILE* stream, struct stat& status) {
  const int number = ::fileno_unlocked(stream);
  if (number < 0) return false;
  return system_call(SYS_fstat, number, as_argument(&status)) == 0 && S_ISREG(status.st_mode);
}

}  // namespace

void note_stream_use(FILE* stream, bool is_write, std::uint64_t site) {
  if (is_ordered()) return;
  struct stat status = {};
  if (!leads_to_file(stream, status)) return;
  // What stands for streams and files in shadow memory: a byte for each.
  ProgramState& program = program_state;
  const auto of_stream = reinterpret_cast<std::uint64_t>(
      program.streams.of(reinterpret_cast<std::uint64_t>(stream), 0));
  const auto of_file =
      reinterpret_cast<std::uint64_t>(program.streamed_files.of(status.st_dev, status.st_ino));
  const bool is_met = meets_another(of_stream, true, site);
  if (meets_another(of_file, is_write, site) || is_met) {
    not_modelled(
        "uses one file through streams in several threads, and nothing orders them: these are no "
        "points of the schedule, and their orders are not searched",
        site);
  }
}

}  // namespace ricercar::inline threads
