// malloc as a program sees it, through the fixture library.
#include <errno.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include <memory>
#include <new>

#include "threads/memory/heap.h"
#include "threads/memory/memory_fixture.h"
#include "threads/memory/restart_test.h"
#include "threads/memory/runtime_allocation.h"

namespace ricercar::inline threads {
namespace {

// Compilers remove allocations that nobody looks at, and know what free() does.
template <typename T>
T* seen(T* block) {
  asm volatile("" : "+r"(block)::"memory");
  return block;
}

std::uint64_t number(void* block) { return reinterpret_cast<std::uint64_t>(seen(block)); }
void* at(std::uint64_t address) { return seen(reinterpret_cast<void*>(address)); }

TEST(Malloc, ServesFromTheArena) {
  std::unique_ptr<int> made = std::make_unique<int>(1);
  void* block = seen(malloc(10));
  EXPECT_TRUE(heap_contains(number(made.get())));
  EXPECT_TRUE(heap_contains(number(block)));
  const std::uint64_t address = number(block);
  EXPECT_EQ(heap_state(address), HeapState::live);
  free(block);
  EXPECT_EQ(heap_state(address), HeapState::freed);
}

TEST(Malloc, ZeroBytesAreABlockToo) {
  void* block = seen(malloc(0));
  EXPECT_NE(block, nullptr);
  free(block);
}

TEST(Malloc, RefusesTooMuch) {
  volatile std::size_t much = SIZE_MAX / 2;
  errno = 0;
  EXPECT_EQ(seen(malloc(much)), nullptr);
  EXPECT_EQ(errno, ENOMEM);
  errno = 0;
  EXPECT_EQ(seen(calloc(much, 3)), nullptr);
  EXPECT_EQ(errno, ENOMEM);
  EXPECT_EQ(seen(reallocarray(nullptr, much, 3)), nullptr);
  EXPECT_EQ(seen(new (std::nothrow) char[much]), nullptr);
}

TEST(Malloc, CallocClears) {
  for (int i = 0; i < 100; ++i) {
    auto* block = static_cast<char*>(seen(calloc(10, 100)));
    for (int k = 0; k < 1000; ++k) ASSERT_EQ(block[k], 0);
    memset(block, 1, 1000);
    free(seen(block));
  }
}

TEST(Malloc, ReallocKeepsTheContents) {
  auto* block = static_cast<char*>(seen(malloc(10)));
  strcpy(block, "contents");
  for (const std::size_t size : {20, 5000, 500000, 2000000, 100, 9}) {
    block = static_cast<char*>(seen(realloc(block, size)));
    EXPECT_STREQ(block, "contents");
    EXPECT_GE(malloc_usable_size(block), size);
  }
  const std::uint64_t address = number(block);
  EXPECT_EQ(seen(realloc(block, 0)), nullptr);
  EXPECT_EQ(heap_state(address), HeapState::freed);
}

TEST(Malloc, AlignsAsAskedFor) {
  void* block = nullptr;
  EXPECT_EQ(posix_memalign(&block, 256, 10), 0);
  EXPECT_EQ(number(block) % 256, 0u);
  EXPECT_EQ(posix_memalign(&block, 24, 10), EINVAL);
  EXPECT_EQ(posix_memalign(&block, 4, 10), EINVAL);
  EXPECT_EQ(number(aligned_alloc(64, 128)) % 64, 0u);
  EXPECT_EQ(number(memalign(8, 128)) % 8, 0u);
  EXPECT_EQ(number(valloc(10)) % 4096, 0u);
  EXPECT_EQ(malloc_usable_size(seen(pvalloc(10))) % 4096, 0u);
  struct alignas(512) Aligned {
    char data[512];
  };
  EXPECT_EQ(number(new Aligned) % 512, 0u);
}

void expect_abort(void (*body)()) {
  const long child = syscall(SYS_fork);
  if (child == 0) {
    body();
    _exit(0);
  }
  int status = 0;
  waitpid(static_cast<pid_t>(child), &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

TEST(Malloc, ABadFreeStopsAProgramThatIsNotUnderControl) {
  expect_abort([] {
    const std::uint64_t address = number(malloc(10));
    free(at(address));
    free(at(address));
  });
  expect_abort([] { free(at(number(malloc(10)) + 16)); });
  expect_abort([] {
    int local = 0;
    free(at(number(&local)));
  });
  expect_abort([] {
    const std::uint64_t address = number(malloc(10));
    free(at(address));
    seen(realloc(at(address), 100));
  });
}

// Blocks have no headers that such a write could damage.
TEST(Malloc, AWildWriteDoesNotHarmTheHeap) {
  in_child([] {
    char* blocks[100];
    for (char*& block : blocks) block = static_cast<char*>(seen(malloc(24)));
    for (char* block : blocks) memset(seen(block - 16), 0x5a, 64);
    for (char* block : blocks) free(seen(block));
    for (char*& block : blocks) REQUIRE((block = static_cast<char*>(seen(malloc(24)))) != nullptr);
  });
}

TEST(Malloc, TheRuntimesBlocksSurviveARestart) {
  in_child([] {
    fixture::take();
    void* block = fixture::runtime_malloc(100);
    memset(block, 7, 100);
    REQUIRE(is_runtime_block(block));
    fixture::restore();
    REQUIRE(static_cast<char*>(block)[99] == 7);
    block = seen(realloc(block, 1000));
    REQUIRE(static_cast<char*>(block)[99] == 7);
    free(block);
  });
}

}  // namespace
}  // namespace ricercar::inline threads
