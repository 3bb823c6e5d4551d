// The frames of the call stacks of a recorded execution, as a tree: stacks that differ in their
// innermost calls only share the rest. The innermost frame itself is not in the tree but in a table
// of places: a call makes a frame, an access that it makes does not.
//
// What it keeps is bounded.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/random.h"
#include "model/recording.h"

namespace ricercar::inline threads {

class FrameTree {
 public:
  using Number = std::uint32_t;
  static constexpr Number none = 0;
  static constexpr std::size_t most_shown = 64;  // of a stack

  FrameTree();

  // The frame that was called by `outer`, which may be none. None: there is no room for a new one.
  Number frame(Number outer, std::uint64_t place, std::uint64_t address);
  // An innermost frame. None: there is no room for a new one, and it needs some.
  Number place(Number outer, std::uint64_t place, std::uint64_t address);
  // One without a stack: there is always room.
  Number lone_place(std::uint64_t place);

  // Until now the stacks of the recording are a frame (StackRef::innermost) and a place
  // (StackRef::size). They become what they shall be, and the recording gets the frames that it
  // needs.
  void finish(Recording& recording) const;

 private:
  // A frame with those that it has called, which form a circle.
  struct Node {
    RecordedFrame frame = {};
    Number last_inner = none;  // the one that was met last
    Number expected = none;    // the one behind it
    std::uint32_t inner_count = 0;
    Number next = none;  // in the circle of its caller

    bool is(std::uint64_t place, std::uint64_t address) const {
      return frame.place == place && frame.frame_address == address;
    }
  };
  // The calls of frames that have made too many to look at one after the other.
  struct Call {
    Number outer;
    std::uint64_t place;
    std::uint64_t address;
    bool operator==(const Call&) const = default;
  };
  // An innermost frame begins so far below its caller's.
  struct Place {
    std::uint64_t place = 0;
    std::uint64_t distance = 0;
    bool operator==(const Place&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Call& call) const {
      return mix64(call.place ^ mix64(call.address ^ (std::uint64_t{call.outer} << 32U)));
    }
    std::size_t operator()(const Place& place) const {
      return mix64(place.place ^ mix64(place.distance));
    }
  };

  Number meet(Number outer, Number inner);
  Number add(Number outer, std::uint64_t place, std::uint64_t address);
  void note_many(Number outer);
  Number find_place(const Place& place, std::size_t most);

  std::vector<Node> nodes_;  // by number; the first one is what all stacks begin in
  std::unordered_map<Call, Number, Hash> many_;
  std::vector<Place> places_ = std::vector<Place>(1);  // by number
  std::unordered_map<Place, Number, Hash> place_numbers_;
  struct RecentPlace : Place {
    Number number = none;
  };
  std::array<RecentPlace, 1024> recent_places_ = {};  // by hash
};

}  // namespace ricercar::inline threads
