// A walk over the frames by the rules, against the complete unwinder.
#include "threads/frame_rules.h"

#include <alloca.h>
#include <gtest/gtest.h>
#include <unwind.h>

#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <thread>
#include <vector>

namespace ricercar::inline threads {

std::uint64_t closed_libraries = 0;

namespace {

struct Seen {
  std::uint64_t place;
  std::uint64_t address;
  bool operator==(const Seen&) const = default;
};

volatile int keep = 0;

// What the unwinder calls the canonical frame address of a frame is that of the one it called.
_Unwind_Reason_Code see(_Unwind_Context* context, void* argument) {
  auto& seen = *static_cast<std::vector<Seen>*>(argument);
  if (!seen.empty()) seen.back().address = _Unwind_GetCFA(context);
  seen.push_back({_Unwind_GetIP(context), 0});
  return _URC_NO_REASON;
}

std::vector<Seen> walked(FrameRules& rules, MachineFrame frame) {
  std::vector<Seen> seen;
  while (frame.place != 0) {
    const FrameRules::Rule* rule = rules.find(frame.place);
    if (rule == nullptr) break;
    seen.push_back({frame.place, frame.canonical_address(*rule)});
    frame.go_to_caller(*rule);
  }
  return seen;
}

// Compares the callers of this function; gives how many there were.
[[gnu::noinline]] std::size_t compare(FrameRules& rules) {
  std::vector<Seen> expected;
  _Unwind_Backtrace(see, &expected);
  expected.erase(expected.begin());  // this function itself
  while (!expected.empty() && expected.back().address == 0) expected.pop_back();
  const std::vector<Seen> found = walked(rules, callers_frame());
  EXPECT_GE(found.size(), expected.size());
  for (std::size_t i = 0; i < std::min(found.size(), expected.size()); ++i) {
    EXPECT_EQ(found[i].place, expected[i].place) << i;
    EXPECT_EQ(found[i].address, expected[i].address) << i;
  }
  return found.size();
}

[[gnu::noinline]] std::size_t descend(FrameRules& rules, int depth) {
  const std::size_t result = depth == 0 ? compare(rules) : descend(rules, depth - 1);
  keep = depth;
  return result;
}

[[gnu::noinline]] std::size_t with_room(FrameRules& rules, std::size_t size) {
  auto* room = static_cast<char*>(__builtin_alloca(size));
  for (std::size_t i = 0; i < size; ++i) room[i] = 1;
  const std::size_t result = descend(rules, 2);
  keep = room[size / 2];
  return result;
}

TEST(FrameRules, LeadThroughRecursion) {
  FrameRules rules;
  const std::size_t flat = descend(rules, 0);
  EXPECT_GT(flat, 2U);
  EXPECT_EQ(descend(rules, 500), flat + 500);
}

TEST(FrameRules, LeadThroughFramesOfAnySize) {
  FrameRules rules;
  for (std::size_t size = 1; size < 500; size += 37) EXPECT_GT(with_room(rules, size), 5U);
}

TEST(FrameRules, LeadThroughTheCLibrary) {
  static FrameRules rules;
  int numbers[] = {3, 1, 2};
  std::qsort(numbers, 3, sizeof(int), [](const void* a, const void* b) {
    EXPECT_GT(descend(rules, 1), 3U);
    return *static_cast<const int*>(a) - *static_cast<const int*>(b);
  });
}

TEST(FrameRules, LeadThroughHandlersOfExceptions) {
  FrameRules rules;
  try {
    descend(rules, 3);
    throw std::runtime_error("caught");
  } catch (const std::exception&) {
    EXPECT_GT(descend(rules, 3), 3U);
  }
}

TEST(FrameRules, LeadToTheBeginningOfAThread) {
  FrameRules rules;
  std::thread([&] {
    const std::function<std::size_t()> call = [&] { return descend(rules, 1); };
    EXPECT_GT(call(), 3U);
  }).join();
}

TEST(FrameRules, AreReadAnewWhenALibraryWasClosed) {
  FrameRules rules;
  const std::size_t before = descend(rules, 1);
  rules.find(callers_frame().place)->code->announces_entry = true;
  ++closed_libraries;
  EXPECT_FALSE(rules.find(callers_frame().place)->code->announces_entry);
  EXPECT_EQ(descend(rules, 1), before);
}

TEST(FrameRules, DoNotExistForWhatIsNoCode) {
  FrameRules rules;
  EXPECT_EQ(rules.find(reinterpret_cast<std::uint64_t>(&rules)), nullptr);
  EXPECT_EQ(rules.find(1), nullptr);
}

}  // namespace
}  // namespace ricercar::inline threads
