// Three tasks that run side by side, for tests of the race detector.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>

#include "detect/data_race.h"

namespace ricercar::inline detect {

inline constexpr TaskId main_task = task_id(0);
inline constexpr TaskId a = task_id(1);
inline constexpr TaskId b = task_id(2);
inline constexpr TaskId c = task_id(3);

inline constexpr std::uint64_t data = 0x7f0000001000;
inline constexpr std::uint64_t flag = 0x7f0000002000;
inline constexpr std::uint64_t other_flag = 0x7f0000002008;
inline constexpr std::uint64_t mutex = 0x7f0000003000;
inline constexpr std::uint64_t page_size = 4096;

// Tasks a, b and c have been created by the main task.
class RaceDetectorTest : public testing::Test {
 protected:
  RaceDetectorTest() { begin(); }

  void begin() {
    detector->begin_execution();
    for (const TaskId task : {a, b, c}) detector->task_created(main_task, task);
  }

  const Race* read(TaskId task, std::uint64_t address, std::uint32_t size = 8) {
    return detector->read(task, address, size, 100 + index(task), ++event);
  }
  const Race* write(TaskId task, std::uint64_t address, std::uint32_t size = 8) {
    return detector->write(task, address, size, 200 + index(task), ++event);
  }
  const Race* load(TaskId task, std::uint64_t address, Order order) {
    return detector->atomic_load(task, address, 8, order, 300 + index(task), ++event);
  }
  const Race* store(TaskId task, std::uint64_t address, Order order) {
    return detector->atomic_store(task, address, 8, order, 400 + index(task), ++event);
  }
  const Race* update(TaskId task, std::uint64_t address, Order order) {
    return detector->atomic_update(task, address, 8, order, 500 + index(task), ++event);
  }
  const Race* free(TaskId task, std::uint64_t address, std::uint64_t size = 8) {
    return detector->freed(task, address, size, 600 + index(task), ++event);
  }
  void hand_over(TaskId from, TaskId to) {
    detector->release(from, mutex);
    detector->acquire(to, mutex);
  }

  std::unique_ptr<RaceDetector> detector = std::make_unique<RaceDetector>();
  std::uint64_t event = 0;
};

}  // namespace ricercar::inline detect
