// Thread attributes: a thread that asks for a stack of 16 MiB can use 12 MiB of it, more than the
// usual limit.
#include <pthread.h>

#include <cassert>
#include <cstddef>

namespace {

void expect(int expected, int result) { assert(result == expected); }

constexpr std::size_t kStackBytes = 16 << 20;
constexpr std::size_t kUsedBytes = 12 << 20;
constexpr std::size_t kStride = 1 << 16;

void* use_stack(void*) {
  volatile char bytes[kUsedBytes];
  for (std::size_t i = 0; i < kUsedBytes; i += kStride) bytes[i] = 1;
  int sum = 0;
  for (std::size_t i = 0; i < kUsedBytes; i += kStride) sum += bytes[i];
  assert(sum == kUsedBytes / kStride);
  return nullptr;
}

}  // namespace

int main() {
  pthread_attr_t attributes;
  expect(0, pthread_attr_init(&attributes));
  expect(0, pthread_attr_setstacksize(&attributes, kStackBytes));
  std::size_t stack_bytes = 0;
  expect(0, pthread_attr_getstacksize(&attributes, &stack_bytes));
  assert(stack_bytes == kStackBytes);
  pthread_t thread;
  expect(0, pthread_create(&thread, &attributes, use_stack, nullptr));
  expect(0, pthread_attr_destroy(&attributes));
  expect(0, pthread_join(thread, nullptr));
  return 0;
}
