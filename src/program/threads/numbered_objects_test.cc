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

// Whether the kernel gives a new thing the number of one that is gone is chance.
TEST(NumberedObjects, ANewThingHasANameOfItsOwnWhateverItsNumber) {
  NumberedObjects with_old_number, with_new_number;
  const auto* base = static_cast<const char*>(with_old_number.of(7, 1));
  const auto* other_base = static_cast<const char*>(with_new_number.of(7, 1));
  with_old_number.forget(7, 1);
  with_new_number.forget(8, 1);
  EXPECT_EQ(static_cast<const char*>(with_old_number.of(7, 1)) - base, 1);
  EXPECT_EQ(static_cast<const char*>(with_new_number.of(8, 1)) - other_base, 1);
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
