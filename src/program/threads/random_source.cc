#include "threads/random_source.h"

#include <algorithm>
#include <cstring>

#include "threads/execution.h"

namespace ricercar::inline threads {

std::uint64_t RandomStreams::next(TaskId task) {
  Stream& stream = streams_[index(task)];
  if (stream.execution != execution_) {
    stream = {execution_, Random(mix64(seed_) ^ mix64(index(task)))};
  }
  return stream.generator.next();
}

std::uint64_t random_number() { return program_state.random.next(execution.self().id); }

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

}  // namespace ricercar::inline threads
