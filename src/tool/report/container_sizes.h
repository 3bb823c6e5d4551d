// How many elements a container of the C++ library has, from what a recording has seen of its
// memory. Layouts are those of GNU's library on 64 bits. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "report/names.h"

namespace ricercar::inline report {

class ContainerSizes {
 public:
  explicit ContainerSizes(Names& names) : names_(names) {}

  // Of the container that an event reads or writes a part of, as it is right after that. Nothing:
  // it is none, or not all that tells its size has been seen.
  std::optional<std::uint64_t> size_after(std::size_t event);

 private:
  struct Seen {
    std::size_t event;
    std::uint64_t value;
  };

  void note_values();
  std::optional<std::uint64_t> word(std::uint64_t address, std::size_t event) const;
  std::optional<std::uint64_t> size_of_deque(std::uint64_t start, std::uint64_t element_size,
                                             std::size_t event) const;
  std::optional<std::uint64_t> elements(std::uint64_t from, std::uint64_t to,
                                        std::uint64_t element_size, std::size_t event) const;

  Names& names_;
  bool has_values_ = false;
  std::unordered_map<std::uint64_t, std::vector<Seen>> values_;  // of words, by their address
};

}  // namespace ricercar::inline report
