#include <link.h>

#include <algorithm>
#include <cstring>

#include "threads/instructions.h"

namespace ricercar::inline threads {
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

bool gives_random_number(const unsigned char* at, const unsigned char* start,
                         const unsigned char* end) {
  return is_random_instruction(at, start) && asks_for_success(at + instruction_size, end);
}

// The number is put into eax a little before.
bool calls_system(const unsigned char* at, const unsigned char* start, const unsigned char*) {
  constexpr std::ptrdiff_t move_size = 5;
  constexpr unsigned highest_page = 2;  // numbers of calls end below 0x300
  if (at[1] != 0x05) return false;
  for (const unsigned char* move = at - move_size; move >= start && at - move < look_ahead;
       --move) {
    const bool is_number = move[2] <= highest_page && move[3] == 0 && move[4] == 0;
    if (move[0] == 0xb8 && is_number) return true;
  }
  return false;
}

using InstructionTest = bool (*)(const unsigned char*, const unsigned char*, const unsigned char*);

// Where the first byte is 0x0f, and the test says yes.
std::uint64_t find_in(const unsigned char* start, std::size_t size, InstructionTest test) {
  const unsigned char* end = start + size;
  for (const unsigned char* at = start; at + instruction_size <= end; ++at) {
    at = std::find(at, end - instruction_size + 1, 0x0f);
    if (at + instruction_size > end) return 0;
    if (test(at, start, end)) return reinterpret_cast<std::uint64_t>(at);
  }
  return 0;
}

struct Looking {
  InstructionTest test;
  std::uint64_t found = 0;
};

int look_at_object(dl_phdr_info* object, std::size_t, void* argument) {
  Looking& looking = *static_cast<Looking*>(argument);
  if (is_of_the_system(*object)) return 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    const auto* code = reinterpret_cast<const unsigned char*>(object->dlpi_addr + segment.p_vaddr);
    looking.found = find_in(code, segment.p_memsz, looking.test);
    if (looking.found != 0) return 1;
  }
  return 0;
}

}  // namespace

std::uint64_t find_random_instruction() {
  Looking looking{gives_random_number};
  dl_iterate_phdr(look_at_object, &looking);
  return looking.found;
}

std::uint64_t find_system_call() {
  Looking looking{calls_system};
  dl_iterate_phdr(look_at_object, &looking);
  return looking.found;
}

}  // namespace ricercar::inline threads
