// A static object maps memory before main, and more of it than it uses; the threads write to it. In
// every execution it holds again what the constructor wrote. The same with memory from moving the
// end of the data segment, and with a mapping that was moved and partly unmapped.
#include <sys/mman.h>
#include <unistd.h>

#include <cassert>
#include <mutex>
#include <thread>

namespace {

constexpr std::size_t page = 4096;

int* map(std::size_t size, int kind) {
  void* mapped = mmap(nullptr, size, PROT_READ | PROT_WRITE, kind | MAP_ANONYMOUS, -1, 0);
  return mapped == MAP_FAILED ? nullptr : static_cast<int*>(mapped);
}

struct Table {
  Table() {
    large[0] = 5;
    shared[0] = 6;
    segment[0] = 7;
    void* grown = mremap(map(page, MAP_PRIVATE), page, 8 * page, MREMAP_MAYMOVE);
    moved = static_cast<int*>(grown);
    munmap(moved + page, 4 * page);  // its second half
    moved[3] = 8;
  }

  int* large = map(64 * page, MAP_PRIVATE);
  int* shared = map(page, MAP_SHARED);
  int* segment = static_cast<int*>(sbrk(page));
  int* moved = nullptr;
};

Table table;
std::mutex mutex;

void count() {
  const std::lock_guard lock(mutex);
  ++table.large[0];
  ++table.large[40 * page / sizeof(int)];
  ++table.shared[0];
  ++table.segment[0];
  ++table.moved[3];
}

}  // namespace

int main() {
  assert(table.large[0] == 5 && table.large[40 * page / sizeof(int)] == 0);
  assert(table.shared[0] == 6 && table.segment[0] == 7 && table.moved[3] == 8);
  std::thread one(count), two(count);
  one.join();
  two.join();
  assert(table.large[0] == 7 && table.large[40 * page / sizeof(int)] == 2);
  assert(table.shared[0] == 8 && table.segment[0] == 9 && table.moved[3] == 10);
}
