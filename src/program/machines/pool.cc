#include <ricercar/detail/pool.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <new>
#include <utility>

namespace ricercar::detail {
namespace {

constexpr std::size_t unit = 16;
constexpr std::size_t largest = 1024;
constexpr std::size_t chunk_size = std::size_t{256} << 10;
constexpr std::size_t list_count = largest / unit + 1;
// Free blocks change threads in batches of this many (Bonwick and Adams, "Magazines and Vmem",
// 2001): where one thread makes what another one gives back, memory would grow for ever without.
constexpr std::uint32_t batch = 256;

struct Free {
  Free* next;
  Free* next_batch;  // in the first block of a batch that all threads may take
};

struct List {
  Free* blocks;
  std::uint32_t count;  // of the blocks, or more; less than a batch
  Free* spare;          // a whole batch, or null
};

struct Pool {
  List lists[list_count];
  char* next;
  char* end;
};

struct Depot {
  std::mutex mutex;
  std::atomic<Free*> batches = nullptr;
};

// What a thread leaves of its chunk when it ends, for others to go on with.
struct Rest {
  Rest* next;
  char* end;
};
struct Rests {
  std::mutex mutex;
  Rest* first = nullptr;
};

[[gnu::tls_model("initial-exec")]] thread_local Pool pool;
Depot depots[list_count];
Rests rests;

void give_away(Depot& depot, Free* blocks) {
  const std::lock_guard lock(depot.mutex);
  blocks->next_batch = depot.batches;
  depot.batches = blocks;
}

Free* take_batch(Depot& depot) {
  if (depot.batches.load(std::memory_order_relaxed) == nullptr) return nullptr;
  const std::lock_guard lock(depot.mutex);
  Free* const blocks = depot.batches;
  if (blocks != nullptr) depot.batches = blocks->next_batch;
  return blocks;
}

// Gives what a thread has to the others when it ends.
struct Heirs {
  ~Heirs() {
    for (std::size_t i = 0; i < list_count; ++i) {
      List& list = pool.lists[i];
      if (list.spare != nullptr) give_away(depots[i], list.spare);
      if (list.blocks != nullptr) give_away(depots[i], list.blocks);
      list = {};
    }
    if (static_cast<std::size_t>(pool.end - pool.next) < largest) return;
    auto* const rest = reinterpret_cast<Rest*>(std::exchange(pool.next, nullptr));
    const std::lock_guard lock(rests.mutex);
    rest->end = std::exchange(pool.end, nullptr);
    rest->next = std::exchange(rests.first, rest);
  }
  void be_there() {}  // made when it is first used
};
thread_local Heirs heirs;

[[gnu::noinline]] void put_batch_aside(std::size_t number) {
  heirs.be_there();
  List& list = pool.lists[number];
  if (list.spare != nullptr) give_away(depots[number], list.spare);
  list.spare = std::exchange(list.blocks, nullptr);
  list.count = 0;
}

bool take_rest() {
  const std::lock_guard lock(rests.mutex);
  Rest* const rest = rests.first;
  if (rest == nullptr) return false;
  rests.first = rest->next;
  pool.end = rest->end;
  pool.next = reinterpret_cast<char*>(rest);
  return true;
}

// What is left of the old chunk is lost: at most `largest` bytes of it.
void* refill(std::size_t size) {
  heirs.be_there();
  if (!take_rest()) {
    auto* const chunk = static_cast<char*>(std::malloc(chunk_size));
    if (chunk == nullptr) throw std::bad_alloc();
    pool.next = chunk;
    pool.end = chunk + chunk_size;
  }
  return std::exchange(pool.next, pool.next + size);
}

[[gnu::noinline]] void* allocate_new(std::size_t number) {
  List& list = pool.lists[number];
  Free* const blocks =
      list.spare != nullptr ? std::exchange(list.spare, nullptr) : take_batch(depots[number]);
  if (blocks != nullptr) {
    list.blocks = blocks->next;
    list.count = batch - 1;
    return blocks;
  }
  list.count = 0;
  const std::size_t size = number * unit;
  if (static_cast<std::size_t>(pool.end - pool.next) < size) return refill(size);
  return std::exchange(pool.next, pool.next + size);
}

}  // namespace

void* pool_allocate(std::size_t size) {
  if (size > largest) return ::operator new(size);
  const std::size_t number = (size + unit - 1) / unit;
  List& list = pool.lists[number];
  Free* const block = list.blocks;
  if (block == nullptr) return allocate_new(number);
  list.blocks = block->next;
  --list.count;
  return block;
}

void pool_release(void* block, std::size_t size) noexcept {
  if (size > largest) return ::operator delete(block);
  const std::size_t number = (size + unit - 1) / unit;
  List& list = pool.lists[number];
  auto* free = static_cast<Free*>(block);
  free->next = list.blocks;
  list.blocks = free;
  if (++list.count == batch) put_batch_aside(number);
}

}  // namespace ricercar::detail
