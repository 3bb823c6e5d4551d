#include "threads/memory/runtime_allocation.h"

#include <emmintrin.h>
#include <link.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <mutex>

#include "base/check.h"
#include "base/system_call.h"

namespace ricercar::inline threads {
namespace {

// Blocks are powers of two behind a header with their size; freed ones are kept in lists. There are
// a few for each real thread, so neither speed nor waste matters.
constexpr std::size_t header_size = 16;
constexpr unsigned class_count = 32;

struct Header {
  std::size_t size;    // usable
  void* region_block;  // where the block with its padding begins
};
static_assert(sizeof(Header) == header_size);

struct FreeBlock {
  FreeBlock* next;
};

class SpinLock {
 public:
  void lock() {
    while (busy_.test_and_set(std::memory_order_acquire)) _mm_pause();
  }
  void unlock() { busy_.clear(std::memory_order_release); }

 private:
  std::atomic_flag busy_ = ATOMIC_FLAG_INIT;
};

struct LoaderCode {
  std::uint64_t low;
  std::uint64_t high;
};

// The object that holds the loader's list of objects.
int find_loader(dl_phdr_info* object, std::size_t, void* argument) {
  LoaderCode found = {~std::uint64_t{0}, 0};
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& header = object->dlpi_phdr[i];
    if (header.p_type != PT_LOAD) continue;
    found.low = std::min<std::uint64_t>(found.low, object->dlpi_addr + header.p_vaddr);
    found.high =
        std::max<std::uint64_t>(found.high, object->dlpi_addr + header.p_vaddr + header.p_memsz);
  }
  const auto list = reinterpret_cast<std::uint64_t>(&_r_debug);
  if (list < found.low || list >= found.high) return 0;
  *static_cast<LoaderCode*>(argument) = found;
  return 1;
}

constinit SpinLock mutex;
constinit char* next = nullptr;
constinit FreeBlock* free_blocks[class_count] = {};

char* const region = reinterpret_cast<char*>(runtime_region_start);

void map_region() {
  next = map_memory(region, runtime_region_size, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE);
  RICERCAR_CHECK(next == region);
  advise_memory(region, runtime_region_size, MADV_NOHUGEPAGE);
}

char* take(unsigned size_class) {
  const std::lock_guard<SpinLock> lock(mutex);
  if (FreeBlock* block = free_blocks[size_class]) {
    free_blocks[size_class] = block->next;
    return reinterpret_cast<char*>(block);
  }
  if (next == nullptr) map_region();
  char* block = next;
  next += std::size_t{1} << size_class;
  return next <= region + runtime_region_size ? block : nullptr;
}

Header& header_of(const void* block) {
  return *reinterpret_cast<Header*>(reinterpret_cast<std::uint64_t>(block) - header_size);
}

// Looked up once: the loader stays where it is.
bool is_loader(const void* code) {
  static constinit LoaderCode loader = {};
  if (loader.high == 0) dl_iterate_phdr(find_loader, &loader);
  const auto address = reinterpret_cast<std::uint64_t>(code);
  return address >= loader.low && address < loader.high;
}

}  // namespace

constinit unsigned special_allocations = 0;

bool survives_restart(const void* caller) {
  return (special_allocations & runtime_allocates) != 0 || is_loader(caller);
}

void* runtime_allocate(std::size_t size, std::size_t alignment) {
  if (size + alignment > std::size_t{1} << (class_count - 2)) return nullptr;
  const std::size_t padding = header_size + alignment - 16;
  const auto size_class = static_cast<unsigned>(std::bit_width(size + padding + header_size - 1));
  char* start = take(size_class);
  if (start == nullptr) return nullptr;
  const auto first = reinterpret_cast<std::uint64_t>(start) + header_size;
  auto* block = reinterpret_cast<char*>((first + alignment - 1) & ~(alignment - 1));
  const auto skipped = static_cast<std::size_t>(block - start);
  header_of(block) = {(std::size_t{1} << size_class) - skipped, start};
  return block;
}

void runtime_release(void* block) {
  const Header header = header_of(block);
  auto* start = static_cast<char*>(header.region_block);
  const auto whole = header.size + static_cast<std::size_t>(static_cast<char*>(block) - start);
  const auto size_class = static_cast<unsigned>(std::bit_width(whole - 1));
  RICERCAR_CHECK(whole == std::size_t{1} << size_class && size_class < class_count);
  const std::lock_guard<SpinLock> lock(mutex);
  auto* free_block = reinterpret_cast<FreeBlock*>(start);
  free_block->next = free_blocks[size_class];
  free_blocks[size_class] = free_block;
}

std::size_t runtime_block_size(const void* block) { return header_of(block).size; }

}  // namespace ricercar::inline threads
