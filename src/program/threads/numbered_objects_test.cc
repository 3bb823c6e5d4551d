#include "threads/numbered_objects.h"

#include <gtest/gtest.h>

#include <memory>

namespace ricercar::inline threads {
namespace {

TEST(NumberedObjects, NameTheSameThingAlwaysAlike) {
  NumberedObjects objects;
  const void* first = objects.of(7, 1);
  EXPECT_NE(objects.of(7, 2), first);
  EXPECT_NE(objects.of(8, 1), first);
  EXPECT_EQ(objects.of(7, 1), first);
}

// The kernel's numbers differ from run to run, the names must not.
TEST(NumberedObjects, AreNamedInTheOrderOfTheirUse) {
  NumberedObjects objects;
  const void* first = objects.of(7, 1);
  const void* second = objects.of(9, 1);
  objects.begin_execution();
  EXPECT_EQ(objects.of(100, 3), first);
  EXPECT_EQ(objects.of(7, 1), second);
}

TEST(NumberedObjects, ShareANameWhenThereAreTooMany) {
  const auto objects = std::make_unique<NumberedObjects>();
  for (std::uint64_t i = 0; i < 256; ++i) EXPECT_NE(objects->of(i, 0), objects->rest());
  EXPECT_EQ(objects->of(256, 0), objects->rest());
  EXPECT_EQ(objects->of(257, 0), objects->rest());
  EXPECT_NE(objects->of(255, 0), objects->rest());
}

}  // namespace
}  // namespace ricercar::inline threads
