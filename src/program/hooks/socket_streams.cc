// Hooks: streams of the C library over sockets of a node and over pipes. The C library would read
// and write past the hooks, and block the one kernel thread; such a stream calls what the program
// could have called itself.
#include <stdio.h>
#include <sys/types.h>

#include "threads/descriptor.h"
#include "threads/hook.h"
#include "threads/memory/external_state.h"
#include "threads/memory/file_hooks.h"
#include "threads/memory/real_function.h"
#include "threads/node_sockets.h"
#include "threads/transfers.h"

namespace ricercar::inline hooks {
namespace {

// What the C library hands back to each of these is the descriptor.
int number_of(void* cookie) { return static_cast<int>(reinterpret_cast<long>(cookie)); }

// A report names the line that has opened the stream: who uses it is behind the C library.
constexpr std::size_t most_streams = 1024;
std::uint64_t sites[most_streams];

std::uint64_t site_of(int number) {
  const auto index = static_cast<std::size_t>(number);
  return index < most_streams ? sites[index] : 0;
}

bool may_block(int number) {
  if (!controlled()) return false;
  if (has_network() && program_state.sockets.find(number) != nullptr) return true;
  return describe(number).kind == DescriptorKind::pipe;
}

ssize_t read_stream(void* cookie, char* buffer, size_t size) {
  const int number = number_of(cookie);
  if (!controlled()) return as_result(system_call(SYS_read, number, as_argument(buffer), size));
  return as_result(read_from("read", number, buffer, size, site_of(number)));
}

// 0 is how it says that it has failed.
ssize_t write_stream(void* cookie, const char* data, size_t size) {
  const int number = number_of(cookie);
  const long written = controlled() ? write_to("write", number, data, size, site_of(number))
                                    : system_call(SYS_write, number, as_argument(data), size);
  return as_result(written) < 0 ? 0 : written;
}

int close_stream(void* cookie) {
  const int number = number_of(cookie);
  if (!controlled()) return static_cast<int>(as_result(system_call(SYS_close, number)));
  return static_cast<int>(as_result(close_descriptor(number, site_of(number))));
}

}  // namespace
}  // namespace ricercar::inline hooks

using namespace ricercar;

namespace ricercar::inline threads {

FILE* stream_over(int number, const char* mode, void* caller) {
  if (static_cast<std::size_t>(number) < most_streams) {
    sites[number] = reinterpret_cast<std::uint64_t>(caller);
  }
  FILE* stream = fopencookie(reinterpret_cast<void*>(static_cast<long>(number)), mode,
                             {read_stream, write_stream, nullptr, close_stream});
  if (stream != nullptr) stream->_fileno = number;  // fileno() knows it
  return stream;
}

}  // namespace ricercar::inline threads

RICERCAR_EXPORT FILE* fdopen(int number, const char* mode) noexcept {
  if (tracking) note_descriptors();
  if (number < 0 || !may_block(number)) return RICERCAR_BEHIND(fdopen)(number, mode);
  return stream_over(number, mode, __builtin_return_address(0));
}
