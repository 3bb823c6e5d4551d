#include "threads/frame_tree.h"

#include <algorithm>

#include "base/large_pages.h"
#include "base/search_heap.h"

namespace ricercar::inline threads {
namespace {

constexpr std::size_t most_frames = 1 << 21;
constexpr std::size_t most_places = 1 << 20;
constexpr std::uint32_t most_looked_at = 16;

template <typename Function>
void for_each_stack(Recording& recording, Function function) {
  for (RecordedEvent& event : recording.events) function(event.stack);
  for (RecordedTask& task : recording.tasks) {
    function(task.stack);
    function(task.creation);
  }
  for (RecordedHold& hold : recording.holds) function(hold.stack);
  for (RecordedAllocation& allocation : recording.allocations) {
    function(allocation.stack);
    function(allocation.freed_stack);
  }
  function(recording.outcome.stack);
  function(recording.outcome.other_stack);
}

}  // namespace

// Memory that is not used costs nothing.
FrameTree::FrameTree() {
  nodes_.reserve(most_frames + 1);
  use_large_pages(nodes_.data(), nodes_.capacity() * sizeof(Node));
  nodes_.push_back({});
}

// A function does the same things in the same order most of the time: what came next the last time
// is looked at first.
FrameTree::Number FrameTree::frame(Number outer, std::uint64_t place, std::uint64_t address) {
  const std::uint32_t count = nodes_[outer].inner_count;
  Number candidate = nodes_[outer].expected;
  for (std::uint32_t i = 0; i < std::min(count, most_looked_at); ++i) {
    if (nodes_[candidate].is(place, address)) return meet(outer, candidate);
    candidate = nodes_[candidate].next;
  }
  if (count > most_looked_at) {
    const auto known = many_.find({outer, place, address});
    if (known != many_.end()) return meet(outer, known->second);
  }
  return nodes_.size() > most_frames ? none : add(outer, place, address);
}

FrameTree::Number FrameTree::meet(Number outer, Number inner) {
  nodes_[outer].expected = nodes_[inner].next;
  return nodes_[outer].last_inner = inner;
}

FrameTree::Number FrameTree::add(Number outer, std::uint64_t place, std::uint64_t address) {
  const auto number = static_cast<Number>(nodes_.size());
  nodes_.push_back({{place, address, outer, nodes_[outer].frame.depth + 1}});
  Node& caller = nodes_[outer];
  Node& added = nodes_[number];
  added.next = caller.inner_count == 0 ? number : nodes_[caller.last_inner].next;
  if (caller.inner_count != 0) nodes_[caller.last_inner].next = number;
  meet(outer, number);
  if (++caller.inner_count > most_looked_at) note_many(outer);
  return number;
}

// The last one that was added, and with the first that is too many all that were there before.
void FrameTree::note_many(Number outer) {
  const bool is_first = nodes_[outer].inner_count == most_looked_at + 1;
  const std::uint32_t count = is_first ? nodes_[outer].inner_count : 1;
  Number inner = nodes_[outer].last_inner;
  for (std::uint32_t i = 0; i < count; ++i, inner = nodes_[inner].next) {
    const RecordedFrame& frame = nodes_[inner].frame;
    many_[{outer, frame.place, frame.frame_address}] = inner;
  }
}

FrameTree::Number FrameTree::place(Number outer, std::uint64_t place, std::uint64_t address) {
  return find_place({place, nodes_[outer].frame.frame_address - address}, most_places);
}

FrameTree::Number FrameTree::lone_place(std::uint64_t place) {
  return find_place({place, 0}, places_.max_size());
}

FrameTree::Number FrameTree::find_place(const Place& place, std::size_t most) {
  const std::uint64_t key = place.place + 127 * place.distance;
  RecentPlace& recent = recent_places_[(key ^ (key >> 10U)) % recent_places_.size()];
  if (recent.number != none && recent == place) return recent.number;
  const auto [known, is_new] = place_numbers_.try_emplace(place);
  if (is_new && places_.size() > most) {
    place_numbers_.erase(known);
    return none;
  }
  if (is_new) {
    known->second = static_cast<Number>(places_.size());
    places_.push_back(place);
  }
  recent = {place, known->second};
  return recent.number;
}

void FrameTree::finish(Recording& recording) const {
  // A caller comes before those that it calls, so one pass gives all that are needed a new index.
  std::vector<Number> index_of(nodes_.size());
  std::size_t count = 0;
  for_each_stack(recording, [&](const StackRef& stack) {
    if (stack.size == 0) return;
    ++count;
    Number needed = stack.innermost;
    for (; needed != none && index_of[needed] == 0; needed = nodes_[needed].frame.outer) {
      index_of[needed] = 1;
      ++count;
    }
  });
  auto* frames = search_allocate_array<RecordedFrame>(count);
  recording.frames = {frames, count};
  Number next = 0;
  for (Number i = 1; i < nodes_.size(); ++i) {
    if (index_of[i] == 0) continue;
    RecordedFrame& frame = frames[next] = nodes_[i].frame;
    frame.outer = index_of[frame.outer];
    index_of[i] = next++;
  }
  for_each_stack(recording, [&](StackRef& stack) {
    if (stack.size == 0) return;
    const Place& place = places_[stack.size];
    const RecordedFrame& caller = nodes_[stack.innermost].frame;
    const std::uint32_t depth = caller.depth + 1;
    frames[next] = {place.place, caller.frame_address - place.distance, index_of[stack.innermost],
                    depth};
    stack = {next++, std::min(depth, std::uint32_t{most_shown})};
  });
}

}  // namespace ricercar::inline threads
