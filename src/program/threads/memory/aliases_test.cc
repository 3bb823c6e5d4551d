#include "threads/memory/aliases.h"

#include <gtest/gtest.h>

#include "threads/memory/not_modelled.h"

namespace ricercar::inline threads {
namespace {

int complaints = 0;

// A file that is mapped twice: its second page is at the older mapping's second page.
constexpr Aliases::Mapping older = {0x10000, 0x14000, 1, 7, 0};
constexpr Aliases::Mapping newer = {0x50000, 0x52000, 1, 7, 0x1000};
constexpr Aliases::Mapping of_another_file = {0x90000, 0x94000, 1, 8, 0};

TEST(Aliases, MemoryIsAtTheAddressOfTheOlderMapping) {
  Aliases aliases;
  aliases.add(older);
  aliases.add(of_another_file);
  EXPECT_FALSE(aliases.any());
  aliases.add(newer);
  EXPECT_TRUE(aliases.any());
  EXPECT_EQ(aliases.older_address(0x50010), 0x11010U);
  EXPECT_EQ(aliases.older_address(0x51fff), 0x12fffU);
  EXPECT_EQ(aliases.older_address(0x52000), 0x52000U);
  EXPECT_EQ(aliases.older_address(0x11010), 0x11010U);
}

TEST(Aliases, AThirdMappingLeadsToTheFirst) {
  Aliases aliases;
  aliases.add(older);
  aliases.add(newer);
  aliases.add({0x70000, 0x71000, 1, 7, 0x1000});
  EXPECT_EQ(aliases.older_address(0x70020), 0x11020U);
}

TEST(Aliases, PartsOfAFileThatDoNotMeetAreNone) {
  Aliases aliases;
  aliases.add(older);
  aliases.add({0x50000, 0x52000, 1, 7, 0x4000});
  EXPECT_FALSE(aliases.any());
}

TEST(Aliases, KnowsWhichFilesAreMapped) {
  Aliases aliases;
  EXPECT_FALSE(aliases.any_file());
  aliases.add(older);
  EXPECT_TRUE(aliases.contains_file(1, 7));
  EXPECT_FALSE(aliases.contains_file(1, 8));
  EXPECT_FALSE(aliases.contains_file(2, 7));
}

TEST(Aliases, AreGoneWithEitherMapping) {
  for (const Aliases::Mapping& gone : {older, newer}) {
    Aliases aliases;
    aliases.add(older);
    aliases.add(newer);
    aliases.remove(gone.low, gone.high);
    EXPECT_FALSE(aliases.any());
    EXPECT_TRUE(aliases.any_file());
  }
}

TEST(Aliases, WhatAnExecutionMapsGoesWithIt) {
  Aliases aliases;
  aliases.add(older);
  aliases.freeze();
  aliases.add(newer);
  aliases.rewind();
  EXPECT_FALSE(aliases.any());
  EXPECT_TRUE(aliases.contains_file(1, 7));
}

TEST(Aliases, MoreThanThereIsRoomForAreNamed) {
  complaints = 0;
  Aliases aliases;
  for (std::uint64_t i = 0; i < 64; ++i) aliases.add({i << 20, (i << 20) + 4096, 1, i, 0});
  EXPECT_EQ(complaints, 0);
  aliases.add({std::uint64_t{64} << 20, (std::uint64_t{64} << 20) + 4096, 1, 64, 0});
  EXPECT_EQ(complaints, 1);
  EXPECT_FALSE(aliases.contains_file(1, 64));
}

}  // namespace

void not_modelled(const char*, std::uint64_t) { ++complaints; }

}  // namespace ricercar::inline threads
