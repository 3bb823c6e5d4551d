// The machines of a deployment by their numbers. Numbers are given in order and never again.
//
// find() takes no lock; add() is for one thread at a time. Machines stay where they are until the
// table goes.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <utility>

#include "machines/deploy/instance.h"

namespace ricercar::deploy {

class MachineTable {
 public:
  MachineTable() = default;
  ~MachineTable() {
    for (std::uint32_t i = 0; i < size(); ++i) delete find(i);
    for (auto& segment : segments_) delete[] segment.load();
  }
  MachineTable(const MachineTable&) = delete;
  MachineTable& operator=(const MachineTable&) = delete;

  std::uint32_t size() const { return size_.load(std::memory_order_acquire); }

  // Null if there is no such machine.
  Instance* find(std::uint32_t number) const {
    if (number >= size()) return nullptr;
    const auto [segment, place] = locate(number);
    return segments_[segment].load(std::memory_order_acquire)[place];
  }
  void add(std::unique_ptr<Instance> instance) {
    const std::uint32_t number = size();
    const auto [segment, place] = locate(number);
    if (place == 0) segments_[segment] = new Instance*[std::size_t{first_segment} << segment]();
    segments_[segment].load()[place] = instance.release();
    size_.store(number + 1, std::memory_order_release);
  }

 private:
  static constexpr std::uint32_t first_segment = 1024;  // each has twice the size of the one before

  static std::pair<std::size_t, std::size_t> locate(std::uint32_t number) {
    const std::uint64_t position = std::uint64_t{number} + first_segment;
    const auto width = static_cast<std::size_t>(std::bit_width(position));
    const std::size_t segment = width - static_cast<std::size_t>(std::bit_width(first_segment));
    return {segment, position - (std::uint64_t{first_segment} << segment)};
  }

  std::array<std::atomic<Instance**>, 23> segments_ = {};
  std::atomic<std::uint32_t> size_ = 0;
};

}  // namespace ricercar::deploy
