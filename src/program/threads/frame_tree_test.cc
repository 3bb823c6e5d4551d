// Stacks go into the tree and come out of a recording as they were.
#include "threads/frame_tree.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace ricercar::inline threads {
namespace {

// Place and frame address, innermost first.
using Frames = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

// What is in a recording until it is finished.
StackRef put(FrameTree& tree, const Frames& frames) {
  FrameTree::Number outer = FrameTree::none;
  for (std::size_t i = frames.size(); i-- > 1;) {
    outer = tree.frame(outer, frames[i].first, frames[i].second);
  }
  return {outer, tree.place(outer, frames[0].first, frames[0].second)};
}

std::vector<Frames> finished(const FrameTree& tree, const std::vector<StackRef>& stacks) {
  std::vector<RecordedEvent> events(stacks.size());
  for (std::size_t i = 0; i < stacks.size(); ++i) events[i].stack = stacks[i];
  Recording recording{};
  recording.events = {events.data(), events.size()};
  tree.finish(recording);
  std::vector<Frames> result(stacks.size());
  for (std::size_t i = 0; i < stacks.size(); ++i) {
    recording.for_each_frame(events[i].stack, [&](const RecordedFrame& frame) {
      result[i].emplace_back(frame.place, frame.frame_address);
    });
  }
  return result;
}

TEST(FrameTree, GivesStacksBackAsTheyWere) {
  FrameTree tree;
  std::mt19937 random(1);
  std::vector<Frames> stacks;
  std::vector<StackRef> numbers;
  for (int i = 0; i < 3000; ++i) {
    Frames frames(1 + random() % 20);
    // Few places near the outside, many near the inside, so that much is shared.
    for (std::size_t k = 0; k < frames.size(); ++k) {
      frames[k] = {1 + random() % 3, 1000 - 8 * (frames.size() - k) - random() % 2};
    }
    stacks.push_back(frames);
    numbers.push_back(put(tree, frames));
  }
  EXPECT_EQ(finished(tree, numbers), stacks);
}

TEST(FrameTree, KnowsAStackAgain) {
  FrameTree tree;
  std::map<Frames, std::pair<std::uint32_t, std::uint32_t>> known;
  std::mt19937 random(2);
  for (int i = 0; i < 5000; ++i) {
    // More calls from one place than are looked at one after the other.
    const Frames frames = {{random() % 3, 10}, {random() % 60, 20}, {random() % 60, 30}};
    const StackRef stack = put(tree, frames);
    const std::pair number(stack.innermost, stack.size);
    EXPECT_EQ(known.try_emplace(frames, number).first->second, number);
  }
}

TEST(FrameTree, ShowsTheInnermostFramesOfADeepStack) {
  FrameTree tree;
  Frames deep;
  for (std::uint64_t i = 0; i < 1000; ++i) deep.emplace_back(i + 1, 8 * i + 8);
  const std::vector<Frames> found = finished(tree, {put(tree, deep)});
  EXPECT_EQ(found[0], Frames(deep.begin(), deep.begin() + FrameTree::most_shown));
}

TEST(FrameTree, HasPlacesWithoutAStack) {
  FrameTree tree;
  const std::vector<Frames> found =
      finished(tree, {{FrameTree::none, tree.lone_place(77)}, {}, {FrameTree::none, 0}});
  EXPECT_EQ(found, (std::vector<Frames>{{{77, 0}}, {}, {}}));
}

// A recording does not carry what it does not name.
TEST(FrameTree, GivesARecordingOnlyWhatItNeeds) {
  FrameTree tree;
  for (std::uint64_t i = 1; i < 1000; ++i) put(tree, {{1, 8}, {i, 16}, {2000, 24}});
  RecordedEvent event{};
  event.stack = put(tree, {{1, 8}, {7, 16}, {2000, 24}});
  Recording recording{};
  recording.events = {&event, 1};
  tree.finish(recording);
  EXPECT_EQ(recording.frames.size, 3U);
}

}  // namespace
}  // namespace ricercar::inline threads
