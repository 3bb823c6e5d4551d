#include "threads/memory/heap.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <random>
#include <thread>
#include <vector>

namespace ricercar::inline threads {
namespace {

constexpr std::uint64_t megabyte = 1 << 20;

std::uint64_t number(const void* block) { return reinterpret_cast<std::uint64_t>(block); }

class Heap : public testing::Test {
 protected:
  void SetUp() override { heap_freeze_base(); }
  void TearDown() override { heap_rewind(); }

  static char* allocate(std::size_t size, std::size_t alignment = 16) {
    return static_cast<char*>(heap_allocate(size, alignment));
  }
};

// A run that mixes everything; gives all addresses that it saw.
std::vector<void*> scripted_run(unsigned seed, int steps) {
  std::mt19937 random(seed);
  std::vector<void*> live;
  std::vector<void*> seen;
  for (int i = 0; i < steps; ++i) {
    if (live.size() > 50 || (!live.empty() && random() % 3 == 0)) {
      const std::size_t victim = random() % live.size();
      EXPECT_EQ(heap_release(live[victim]), Release::done);
      live.erase(live.begin() + static_cast<long>(victim));
      continue;
    }
    const std::size_t size = random() % 100 == 0 ? random() % (3 * megabyte) : random() % 3000;
    live.push_back(heap_allocate(size, std::size_t{16} << (random() % 4)));
    seen.push_back(live.back());
  }
  return seen;
}

TEST_F(Heap, GivesTheSameAddressesToTheSameCalls) {
  const auto first = scripted_run(1, 20000);
  heap_rewind();
  EXPECT_EQ(scripted_run(1, 20000), first);
}

TEST_F(Heap, FillsNewSmallBlocksWithAPattern) {
  for (const std::size_t size : {1, 16, 100, 255, 256, 257, 5000, 128 << 10}) {
    char* block = allocate(size);
    for (std::size_t i = 0; i < size; ++i) {
      ASSERT_EQ(static_cast<unsigned char>(block[i]), heap_fresh_pattern) << size << " " << i;
    }
  }
}

TEST_F(Heap, FillsTheStartOfFreedBlocks) {
  char* block = allocate(40);
  heap_release(block);
  for (int i = 0; i < 40; ++i) ASSERT_EQ(static_cast<unsigned char>(block[i]), heap_freed_pattern);
}

TEST_F(Heap, GivesZeroesWhereTheyAreAskedFor) {
  for (const std::size_t size : {1, 17, 1000, 100000, 1 << 20}) {
    auto* block = static_cast<char*>(heap_allocate_zeroed(size));
    for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(block[i], 0);
    std::memset(block, 1, size);
  }
}

TEST_F(Heap, LargeBlocksAreZeroAgainAfterARewind) {
  char* block = allocate(megabyte);
  std::memset(block, 1, megabyte);
  heap_rewind();
  char* again = allocate(megabyte);
  ASSERT_EQ(again, block);
  for (std::size_t i = 0; i < megabyte; ++i) ASSERT_EQ(again[i], 0);
}

TEST_F(Heap, AlignsAsAskedFor) {
  for (std::size_t alignment = 16; alignment <= 4 * megabyte; alignment *= 2) {
    EXPECT_EQ(number(allocate(24, alignment)) % alignment, 0u);
    EXPECT_EQ(number(allocate(200000, alignment)) % alignment, 0u);
  }
}

TEST_F(Heap, NamesADoubleFree) {
  for (const std::size_t size : {24, 300000}) {
    char* block = allocate(size);
    EXPECT_EQ(heap_release(block), Release::done);
    EXPECT_EQ(heap_release(block), Release::double_free);
  }
}

TEST_F(Heap, RefusesWhatIsNotABlock) {
  char* block = allocate(100);
  int local = 0;
  EXPECT_EQ(heap_release(nullptr), Release::null);
  EXPECT_EQ(heap_release(&local), Release::not_a_block);
  EXPECT_EQ(heap_release(block + 1), Release::not_a_block);
  EXPECT_EQ(heap_release(block + 16), Release::not_a_block);
  EXPECT_EQ(heap_release(block + megabyte), Release::not_a_block);
  EXPECT_EQ(heap_release(block), Release::done);
}

TEST_F(Heap, KnowsTheStateOfEachByte) {
  for (const std::size_t size : {20, 500, 5000, 1000000}) {
    char* block = allocate(size);
    EXPECT_EQ(heap_state(number(block)), HeapState::live);
    EXPECT_EQ(heap_state(number(block) + size - 1), HeapState::live);
    EXPECT_EQ(heap_state(number(block) + heap_usable_size(block)), HeapState::unused);
    heap_release(block);
    EXPECT_EQ(heap_state(number(block)), HeapState::freed);
    EXPECT_EQ(heap_state(number(block) + size - 1), HeapState::freed);
    EXPECT_EQ(heap_state(number(block) + size + 8192), HeapState::unused);
  }
  EXPECT_EQ(heap_state(number(&megabyte)), HeapState::outside);
}

TEST_F(Heap, FindsTheBlockAroundAnAddress) {
  char* block = allocate(1000);
  char* large = allocate(1000000);
  heap_release(large);
  const HeapBlock found = heap_block_of(number(block) + 999);
  EXPECT_EQ(found.address, number(block));
  EXPECT_EQ(found.size, 1000u);
  EXPECT_TRUE(found.live);
  const HeapBlock freed = heap_block_of(number(large) + 900000);
  EXPECT_EQ(freed.address, number(large));
  EXPECT_EQ(freed.size, 1000000u);
  EXPECT_FALSE(freed.live);
  EXPECT_EQ(heap_block_of(number(block) + 5000).address, 0u);
}

TEST_F(Heap, RefusesWhatDoesNotFit) {
  EXPECT_EQ(heap_allocate(heap_size, 16), nullptr);
  EXPECT_EQ(heap_allocate(~std::size_t{0}, 16), nullptr);
  EXPECT_EQ(heap_allocate(~std::size_t{0} - 4095, 4096), nullptr);
  EXPECT_NE(heap_allocate(std::uint64_t{8} << 30, 16), nullptr);
}

TEST_F(Heap, UsesAFreedBlockAgainOnlyAfterTheQuarantine) {
  char* first = allocate(64);
  heap_release(first);
  std::uint64_t freed = 0;
  while (freed < megabyte) {
    char* block = allocate(64);
    ASSERT_NE(block, first);
    heap_release(block);
    freed += 64;
  }
  bool reused = false;
  for (; freed < 64 * megabyte && !reused; freed += 64) {
    char* block = allocate(64);
    reused = block == first;
    heap_release(block);
  }
  EXPECT_TRUE(reused);
}

TEST_F(Heap, ALongLoopStaysInABoundedRegion) {
  const std::uint64_t low = number(allocate(64, 64));
  std::uint64_t high = low;
  for (int i = 0; i < 200000; ++i) {
    char* block = allocate(64, 64);
    high = std::max(high, number(block));
    heap_release(block);
  }
  EXPECT_LT(high - low, 8 * megabyte);
}

TEST_F(Heap, BlocksNeverOverlap) {
  std::mt19937 random(7);
  std::map<std::uint64_t, std::uint64_t> blocks;
  for (int i = 0; i < 200000; ++i) {
    if (blocks.size() > 300 || (!blocks.empty() && random() % 2)) {
      auto victim = blocks.lower_bound(heap_start + random() % (8 * megabyte));
      if (victim == blocks.end()) victim = blocks.begin();
      ASSERT_EQ(heap_release(reinterpret_cast<void*>(victim->first)), Release::done);
      blocks.erase(victim);
      continue;
    }
    const std::uint64_t size = random() % 50 == 0 ? random() % 400000 : random() % 9000;
    const std::uint64_t block = number(allocate(size, std::size_t{16} << (random() % 6)));
    const auto next = blocks.lower_bound(block);
    if (next != blocks.end()) {
      ASSERT_LE(block + size, next->first);
    }
    if (next != blocks.begin()) {
      const auto before = std::prev(next);
      ASSERT_LE(before->first + before->second, block);
    }
    blocks[block] = size;
    ASSERT_GE(heap_usable_size(reinterpret_cast<void*>(block)), size);
    ASSERT_EQ(heap_block_of(block + size / 2).address, block);
  }
  for (const auto& [block, size] : blocks) {
    ASSERT_EQ(heap_state(block), HeapState::live);
    ASSERT_EQ(heap_block_of(block).size, size);
  }
}

TEST_F(Heap, RewindingUndoesTheReleaseOfABaseBlock) {
  char* small = allocate(100);
  char* large = allocate(1000000);
  heap_freeze_base();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(heap_release(small), Release::done);
    EXPECT_EQ(heap_release(large), Release::done);
    EXPECT_EQ(heap_state(number(small)), HeapState::freed);
    heap_rewind();
    EXPECT_EQ(heap_state(number(small)), HeapState::live);
    EXPECT_EQ(heap_state(number(large)), HeapState::live);
  }
}

TEST_F(Heap, RewindingForgetsTheExecution) {
  char* first = allocate(100);
  heap_rewind();
  EXPECT_EQ(heap_state(number(first)), HeapState::unused);
  EXPECT_EQ(allocate(100), first);
}

TEST_F(Heap, AResidentExecutionThatFreesAllStartsAtTheSameAddresses) {
  heap_begin_execution();
  char* kept = allocate(10);
  heap_begin_execution();
  char* first = allocate(100);
  EXPECT_NE(first, kept);
  heap_release(first);
  heap_begin_execution();
  EXPECT_EQ(allocate(100), first);
}

TEST_F(Heap, AResidentExecutionNeverGetsWhatIsStillLive) {
  std::vector<char*> kept;
  for (int i = 0; i < 1000; ++i) {
    heap_begin_execution();
    char* block = allocate(100);
    char* garbage = allocate(1000);
    std::memset(block, i % 100, 100);
    kept.push_back(block);
    heap_release(garbage);
  }
  for (int i = 0; i < 1000; ++i) {
    for (int k = 0; k < 100; ++k) ASSERT_EQ(kept[static_cast<std::size_t>(i)][k], i % 100);
  }
}

// A variable of the test that is replaced in each execution, say, a growing vector.
TEST_F(Heap, ABlockThatMovesOnWithEachExecutionDoesNotFillTheArena) {
  char* survivor = allocate(64);
  const std::uint64_t low = number(survivor);
  std::uint64_t high = low;
  for (int i = 0; i < 100000; ++i) {
    heap_begin_execution();
    char* garbage = allocate(4000);
    char* next = allocate(64);
    heap_release(survivor);
    heap_release(garbage);
    survivor = next;
    high = std::max(high, number(next));
  }
  EXPECT_LT(high - low, 64 * megabyte);
}

TEST_F(Heap, SeveralKernelThreadsMayUseItAtOnce) {
  heap_locking = true;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      std::mt19937 random(static_cast<unsigned>(t));
      for (int i = 0; i < 20000; ++i) {
        const std::size_t size = 1 + random() % 500;
        char* block = allocate(size);
        std::memset(block, t, size);
        for (std::size_t k = 0; k < size; ++k) ASSERT_EQ(block[k], t);
        ASSERT_EQ(heap_release(block), Release::done);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  heap_locking = false;
}

}  // namespace
}  // namespace ricercar::inline threads
