// malloc, calloc, realloc, aligned_alloc and free between threads: what one thread allocates
// another grows, reads and frees, each step ordered by a join.
#include <cassert>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace {

char* text = nullptr;
int* numbers = nullptr;
void* aligned = nullptr;

void allocate() {
  text = static_cast<char*>(std::malloc(6));
  std::memcpy(text, "hello", 6);
  numbers = static_cast<int*>(std::calloc(4, sizeof(int)));
  aligned = std::aligned_alloc(4096, 8192);
}

void grow() {
  text = static_cast<char*>(std::realloc(text, 1000));
  assert(std::strcmp(text, "hello") == 0);
  std::strcat(text, ", world");
  for (int i = 0; i < 4; ++i) assert(numbers[i] == 0);
  assert(reinterpret_cast<std::uintptr_t>(aligned) % 4096 == 0);
  std::memset(aligned, 1, 8192);
}

void release() {
  assert(std::strcmp(text, "hello, world") == 0);
  std::free(text);
  std::free(numbers);
  std::free(aligned);
}

void run_to_end(void (*step)()) {
  std::thread thread(step);
  thread.join();
}

}  // namespace

int main() {
  run_to_end(allocate);
  run_to_end(grow);
  run_to_end(release);
  std::thread one([] { std::free(std::malloc(100)); });
  std::thread two([] { std::free(std::malloc(100)); });
  one.join();
  two.join();
  return 0;
}
