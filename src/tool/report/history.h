// Questions about what happened before something in a recording. Events are named by their indexes.
// Not thread-safe.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "model/recording.h"

namespace ricercar::inline report {

// What an event does to memory. An update does both.
bool reads_memory(const Step& step);
bool writes_memory(const Step& step);

bool takes_lock(const Step& step);
// The lock that is given back; 0: none. A wait gives its mutex back.
std::uint64_t lock_given_back(const Step& step);

// A lock that a task holds, and the event with which it took it.
struct HeldLock {
  std::uint64_t object;
  std::size_t taken;
};
// What a task holds just before an event. Empty too if the recording has not all that came before.
std::vector<HeldLock> locks_held_at(const Recording& recording, TaskId task, std::size_t event);

using EventTest = std::function<bool(const Step&)>;
// The last event in [from, to) of which that is true; the first one.
std::optional<std::size_t> last_event(const Recording& recording, std::size_t from, std::size_t to,
                                      const EventTest& is_wanted);
std::optional<std::size_t> first_event(const Recording& recording, std::size_t from, std::size_t to,
                                       const EventTest& is_wanted);

// The first event of the round with which an execution ends that goes round for ever; the number of
// events: it does not.
std::size_t last_round(const Recording& recording);

const RecordedTask* task_of(const Recording& recording, TaskId id);

}  // namespace ricercar::inline report
