#include "threads/keys.h"

#include <gtest/gtest.h>

#include <memory>

namespace ricercar {
namespace {

constexpr TaskId first = task_id(0);
constexpr TaskId second = task_id(1);

void destroy(void*) {}

class KeysTest : public testing::Test {
 protected:
  void SetUp() override { keys.begin_execution(); }

  Keys& keys = *owner;

 private:
  static inline const std::unique_ptr<Keys> owner = std::make_unique<Keys>();
};

TEST_F(KeysTest, NumbersFromInsideComeAfterThoseOfTheCLibrary) {
  EXPECT_EQ(keys.make(nullptr), Keys::from_outside);
  EXPECT_EQ(keys.make(nullptr), Keys::from_outside + 1);
  keys.begin_execution();
  EXPECT_FALSE(keys.is_used(Keys::from_outside));
  EXPECT_EQ(keys.make(nullptr), Keys::from_outside);
}

TEST_F(KeysTest, ANumberIsGivenAgainOnlyWhenNoneIsLeft) {
  const unsigned numbers = Keys::most - Keys::from_outside;
  for (unsigned i = 0; i < numbers; ++i) {
    const pthread_key_t key = keys.make(nullptr);
    ASSERT_EQ(key, Keys::from_outside + i);
    if (i != 0) keys.remove(key, first, true, 0);
  }
  EXPECT_EQ(keys.make(nullptr), Keys::from_outside + 1);
  EXPECT_EQ(keys.deletion(Keys::from_outside + 1).task, no_task);
}

TEST_F(KeysTest, NoMoreAreAliveThanTheCLibraryHas) {
  for (unsigned i = 0; i < Keys::most_alive; ++i) {
    ASSERT_FALSE(keys.is_full());
    keys.make(nullptr);
  }
  EXPECT_TRUE(keys.is_full());
  keys.remove(Keys::from_outside, first, true, 0);
  EXPECT_FALSE(keys.is_full());
}

TEST_F(KeysTest, WhatAnExecutionDeletesOfTheOutsideComesBack) {
  keys.made_outside(7, destroy);
  keys.remove(7, second, true, 99);
  EXPECT_FALSE(keys.is_used(7));
  EXPECT_EQ(keys.destructor_of(7), nullptr);
  EXPECT_EQ(keys.deletion(7).task, second);
  EXPECT_EQ(keys.deletion(7).site, 99);
  keys.begin_execution();
  EXPECT_TRUE(keys.is_used(7));
  EXPECT_EQ(keys.destructor_of(7), destroy);
  EXPECT_EQ(keys.deletion(7).task, no_task);
  keys.deleted_outside(7);
  keys.begin_execution();
  EXPECT_FALSE(keys.is_used(7));
}

TEST_F(KeysTest, NobodyElsesUseDoesNotMatter) {
  const pthread_key_t key = keys.make(nullptr);
  keys.note_use(key, first);
  keys.remove(key, first, false, 0);
  EXPECT_FALSE(keys.uses_matter());
}

TEST_F(KeysTest, AUseBeforeADeletionByAnotherMattersUnlessAllWereJoined) {
  const pthread_key_t key = keys.make(nullptr);
  keys.note_use(key, second);
  keys.remove(key, first, true, 0);
  EXPECT_FALSE(keys.uses_matter());
  keys.note_use(key, first);
  EXPECT_FALSE(keys.uses_matter());

  const pthread_key_t other = keys.make(nullptr);
  keys.note_use(other, first);
  keys.note_use(other, second);
  keys.remove(other, first, false, 0);
  EXPECT_TRUE(keys.uses_matter());
  keys.begin_execution();
  EXPECT_FALSE(keys.uses_matter());
}

TEST_F(KeysTest, AUseAfterADeletionByAnotherMattersUntilUsesArePoints) {
  const pthread_key_t key = keys.make(nullptr);
  keys.remove(key, first, false, 0);
  keys.note_use(key, second);
  EXPECT_TRUE(keys.uses_matter());
  keys.set_points(true);
  EXPECT_FALSE(keys.uses_matter());
  keys.set_points(false);
}

TEST_F(KeysTest, AKeyThatNobodyMadeIsNotUsed) {
  EXPECT_FALSE(keys.is_used(Keys::most - 1));
  EXPECT_EQ(keys.destructor_of(Keys::most - 1), nullptr);
  keys.note_use(Keys::most - 1, first);
  EXPECT_EQ(keys.deletion(Keys::most - 1).task, no_task);
}

}  // namespace
}  // namespace ricercar
