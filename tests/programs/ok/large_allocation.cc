// Large allocations: each of two threads allocates 64 MiB, touches a few pages and frees it; zeroed
// memory is zero.
#include <cassert>
#include <cstddef>
#include <cstdlib>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t kBytes = 64 << 20;

void use() {
  char* const bytes = static_cast<char*>(std::calloc(kBytes, 1));
  assert(bytes != nullptr);
  assert(bytes[0] == 0 && bytes[kBytes / 2] == 0 && bytes[kBytes - 1] == 0);
  bytes[0] = 1;
  bytes[kBytes - 1] = 1;
  std::free(bytes);
}

}  // namespace

int main() {
  std::thread one(use);
  std::thread two(use);
  one.join();
  two.join();
  const std::vector<int> zeros(1 << 20);
  assert(zeros.back() == 0);
  return 0;
}
