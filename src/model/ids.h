// Identifiers that cannot be mixed up with each other or with plain numbers.
#pragma once

#include <cstdint>

namespace ricercar::inline model {

// A unit that the scheduler runs. Numbered from 0 (the main thread) in the order of creation; a
// number is taken again only after `max_tasks` tasks have been created in one execution.
enum class TaskId : std::uint16_t {};

inline constexpr TaskId no_task{0xffff};
inline constexpr std::uint32_t max_tasks = 1024;

constexpr std::uint32_t index(TaskId task) { return static_cast<std::uint32_t>(task); }
constexpr TaskId task_id(std::uint32_t number) { return static_cast<TaskId>(number); }

}  // namespace ricercar::inline model
