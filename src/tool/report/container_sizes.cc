#include "report/container_sizes.h"

#include <algorithm>
#include <string_view>

#include "report/history.h"

namespace ricercar::inline report {
namespace {

constexpr std::uint64_t word_size = 8;
constexpr std::uint64_t most_elements = std::uint64_t{1} << 32;

// Containers that keep the number of their elements.
struct CountingContainer {
  std::string_view type;
  std::uint64_t count_offset;
};
constexpr CountingContainer counting_containers[] = {
    {"list<", 16},
    {"map<", 40},
    {"multimap<", 40},
    {"set<", 40},
    {"multiset<", 40},
    {"unordered_map<", 24},
    {"unordered_set<", 24},
    {"unordered_multimap<", 24},
    {"unordered_multiset<", 24},
};
constexpr std::uint64_t length_of_string = 8;

}  // namespace

std::optional<std::uint64_t> ContainerSizes::size_after(std::size_t event) {
  const Step& step = names_.recording().events[event].step;
  if (!is_memory_access(step.kind)) return std::nullopt;
  const LibraryObject& object = names_.object(step.object, event).variable.library;
  const std::string_view type = object.type;
  if (type.empty()) return std::nullopt;
  if (!has_values_) note_values();
  const std::uint64_t start = step.object - object.offset;
  if (type.starts_with("vector<") && !type.starts_with("vector<bool")) {
    return elements(start, start + word_size, object.element_size, event);
  }
  if (type.starts_with("deque<")) return size_of_deque(start, object.element_size, event);
  // The library changes strings in code that nobody sees: only what has just been looked at counts.
  if (type.starts_with("basic_string<")) {
    return object.offset == length_of_string ? word(step.object, event) : std::nullopt;
  }
  for (const CountingContainer& container : counting_containers) {
    if (!type.starts_with(container.type)) continue;
    const auto count = word(start + container.count_offset, event);
    return count && *count < most_elements ? count : std::nullopt;
  }
  return std::nullopt;
}

void ContainerSizes::note_values() {
  has_values_ = true;
  const Array<RecordedEvent>& events = names_.recording().events;
  for (std::size_t i = 0; i < events.size; ++i) {
    const Step& step = events[i].step;
    if (is_memory_access(step.kind) && step.size == word_size) {
      values_[step.object].push_back({i, step.value});
    }
  }
}

std::optional<std::uint64_t> ContainerSizes::word(std::uint64_t address, std::size_t event) const {
  const auto found = values_.find(address);
  if (found == values_.end()) return std::nullopt;
  const auto next =
      std::upper_bound(found->second.begin(), found->second.end(), event,
                       [](std::size_t at, const Seen& seen) { return at < seen.event; });
  if (next == found->second.begin()) return std::nullopt;
  return std::prev(next)->value;
}

// Between two pointers.
std::optional<std::uint64_t> ContainerSizes::elements(std::uint64_t from, std::uint64_t to,
                                                      std::uint64_t element_size,
                                                      std::size_t event) const {
  const auto begin = word(from, event);
  const auto end = word(to, event);
  if (!begin || !end || element_size == 0 || *end < *begin) return std::nullopt;
  const std::uint64_t bytes = *end - *begin;
  if (bytes % element_size != 0 || bytes / element_size >= most_elements) return std::nullopt;
  return bytes / element_size;
}

// Two iterators, each with its place, the bounds of its block, and the block's place in the map.
std::optional<std::uint64_t> ContainerSizes::size_of_deque(std::uint64_t start,
                                                           std::uint64_t element_size,
                                                           std::size_t event) const {
  constexpr std::uint64_t block_bytes = 512;
  constexpr std::uint64_t first = 16;
  constexpr std::uint64_t first_end = first + 2 * word_size;
  constexpr std::uint64_t first_block = first + 3 * word_size;
  constexpr std::uint64_t last = 48;
  constexpr std::uint64_t last_begin = last + word_size;
  constexpr std::uint64_t last_block = last + 3 * word_size;
  const auto blocks = elements(start + first_block, start + last_block, word_size, event);
  if (!blocks) return std::nullopt;
  if (*blocks == 0) return elements(start + first, start + last, element_size, event);
  const auto in_first = elements(start + first, start + first_end, element_size, event);
  const auto in_last = elements(start + last_begin, start + last, element_size, event);
  if (!in_first || !in_last || element_size > block_bytes) return std::nullopt;
  return *in_first + (*blocks - 1) * (block_bytes / element_size) + *in_last;
}

}  // namespace ricercar::inline report
