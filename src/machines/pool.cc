#include <ricercar/detail/pool.h>

#include <cstdlib>
#include <new>

namespace ricercar::detail {
namespace {

constexpr std::size_t unit = 16;
constexpr std::size_t largest = 1024;
constexpr std::size_t chunk_size = std::size_t{256} << 10;

struct Free {
  Free* next;
};

struct Pool {
  Free* lists[largest / unit + 1];
  char* next;
  char* end;
};

[[gnu::tls_model("initial-exec")]] thread_local Pool pool;

// The rest of the old chunk is lost: at most `largest` bytes of it.
[[gnu::noinline]] void* refill(std::size_t size) {
  auto* chunk = static_cast<char*>(std::malloc(chunk_size));
  if (chunk == nullptr) throw std::bad_alloc();
  pool.next = chunk + size;
  pool.end = chunk + chunk_size;
  return chunk;
}

}  // namespace

void* pool_allocate(std::size_t size) {
  if (size > largest) return ::operator new(size);
  const std::size_t list = (size + unit - 1) / unit;
  if (Free* block = pool.lists[list]) {
    pool.lists[list] = block->next;
    return block;
  }
  const std::size_t rounded = list * unit;
  if (static_cast<std::size_t>(pool.end - pool.next) < rounded) return refill(rounded);
  char* block = pool.next;
  pool.next += rounded;
  return block;
}

void pool_release(void* block, std::size_t size) noexcept {
  if (size > largest) return ::operator delete(block);
  const std::size_t list = (size + unit - 1) / unit;
  auto* free = static_cast<Free*>(block);
  free->next = pool.lists[list];
  pool.lists[list] = free;
}

}  // namespace ricercar::detail
