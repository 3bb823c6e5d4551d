#include "threads/random_instructions.h"

#include <link.h>

#include <algorithm>
#include <cstring>

namespace ricercar {
namespace {

constexpr std::ptrdiff_t instruction_size = 3;
constexpr std::ptrdiff_t look_ahead = 24;

bool is_of_the_system(const dl_phdr_info& object) {
  const char* path = object.dlpi_name;
  return std::strncmp(path, "/usr/lib", 8) == 0 || std::strncmp(path, "/lib", 4) == 0 ||
         std::strstr(path, "vdso") != nullptr || std::strstr(path, "/libricercar") != nullptr;
}

// rdpid has the same bytes behind a prefix.
bool is_random_instruction(const unsigned char* at, const unsigned char* start) {
  constexpr unsigned char prefix_of_rdpid = 0xf3;
  const bool is_prefixed = at > start && at[-1] == prefix_of_rdpid;
  return at[0] == 0x0f && at[1] == 0xc7 && at[2] >= 0xf0 && !is_prefixed;
}

// A jump right behind it, or a set or a move a little later, by the carry flag.
bool asks_for_success(const unsigned char* behind, const unsigned char* end) {
  if (behind < end && (*behind == 0x72 || *behind == 0x73)) return true;
  const unsigned char* last = std::min(end - 1, behind + look_ahead);
  for (const unsigned char* at = behind; at < last; ++at) {
    const bool by_carry = at[1] == 0x42 || at[1] == 0x43 || at[1] == 0x92 || at[1] == 0x93;
    if (at[0] == 0x0f && by_carry) return true;
  }
  return false;
}

std::uint64_t find_in(const unsigned char* start, std::size_t size) {
  const unsigned char* end = start + size;
  for (const unsigned char* at = start; at + instruction_size <= end; ++at) {
    at = std::find(at, end - instruction_size + 1, 0x0f);
    if (at + instruction_size > end) return 0;
    if (is_random_instruction(at, start) && asks_for_success(at + instruction_size, end)) {
      return reinterpret_cast<std::uint64_t>(at);
    }
  }
  return 0;
}

int look_at_object(dl_phdr_info* object, std::size_t, void* found) {
  if (is_of_the_system(*object)) return 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    const auto* code = reinterpret_cast<const unsigned char*>(object->dlpi_addr + segment.p_vaddr);
    const std::uint64_t place = find_in(code, segment.p_memsz);
    *static_cast<std::uint64_t*>(found) = place;
    if (place != 0) return 1;
  }
  return 0;
}

}  // namespace

std::uint64_t find_random_instruction() {
  std::uint64_t found = 0;
  dl_iterate_phdr(look_at_object, &found);
  return found;
}

}  // namespace ricercar
