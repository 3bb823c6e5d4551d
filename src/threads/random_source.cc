#include "threads/random_source.h"

#include <algorithm>
#include <cstring>

#include "base/random.h"
#include "threads/execution.h"

namespace ricercar {
namespace {

struct Stream {
  std::uint64_t execution = 0;  // the generator counts only if this is the running one
  Random generator{0};
};

Stream streams[max_tasks];
std::uint64_t seed_of_execution = 1;
std::uint64_t number_of_execution = 1;

}  // namespace

void random_begin_execution(std::uint64_t seed) {
  seed_of_execution = seed;
  ++number_of_execution;
}

std::uint64_t random_execution() { return number_of_execution; }

std::uint64_t random_number() {
  const std::uint32_t task = index(execution.self().id);
  Stream& stream = streams[task];
  if (stream.execution != number_of_execution) {
    stream = {number_of_execution, Random(mix64(seed_of_execution) ^ mix64(task))};
  }
  return stream.generator.next();
}

void fill_randomly(void* memory, std::size_t size) {
  auto* bytes = static_cast<unsigned char*>(memory);
  while (size > 0) {
    const std::uint64_t number = random_number();
    const std::size_t part = std::min(size, sizeof number);
    std::memcpy(bytes, &number, part);
    bytes += part;
    size -= part;
  }
}

}  // namespace ricercar
