// Hooks: the functions of <string.h> that copy, fill and compare memory. The C library is not
// instrumented, and neither is the C++ library that calls them for strings and vectors, so what
// they read and write is reported here: as accesses of whoever called them.
//
// The runtime's own calls never come here: the linker's --wrap sends them to the functions at the
// end of this file. It cannot do that for calls from this file, so nothing here may copy memory,
// not even inside of an inline function: a vector that grows would look like an access of the
// program. Hooks may be called before anything of this library has been initialised, even before
// its relocation, so they look at plain data of their own first.
#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <unwind.h>

#include <algorithm>

#include "threads/entry.h"
#include "threads/memory_access.h"
#include "threads/own_code.h"

namespace ricercar::inline hooks {
namespace {

// Where the unwinder is: it works for exceptions of the runtime too, and keeps its own memory.
AddressRange unwinder;

bool watched(std::uint64_t site) {
  return __builtin_expect(execution.active(), 0) && controlled() && !unwinder.contains(site);
}

void reads(const void* memory, std::size_t size, std::uint64_t site) {
  library_access(memory, size, false, site);
}
void writes(const void* memory, std::size_t size, std::uint64_t site) {
  library_access(memory, size, true, site);
}

// The C library's functions; null before they have been looked up.
struct Functions {
  decltype(&::memcpy) copy;
  decltype(&::memmove) move;
  decltype(&::memset) fill;
  decltype(&::memcmp) compare;
  decltype(static_cast<std::size_t (*)(const char*)>(&::strlen)) length;
};
constinit Functions real = {};

template <typename Function>
void look_up(Function& function, const char* name) {
  function = reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

int find_unwinder(dl_phdr_info* object, std::size_t, void*) {
  const AddressRange range = range_of(*object);
  const auto entry = reinterpret_cast<std::uint64_t>(&_Unwind_RaiseException);
  if (range.contains(entry)) unwinder = range;
  return 0;
}

__attribute__((constructor(101))) void look_up_functions() {
  dl_iterate_phdr(find_unwinder, nullptr);
  look_up(real.move, "memmove");
  look_up(real.fill, "memset");
  look_up(real.compare, "memcmp");
  look_up(real.length, "strlen");
  look_up(real.copy, "memcpy");
}

void* copy_memory(void* to, const void* from, std::size_t size) {
  if (__builtin_expect(real.copy != nullptr, 1)) return real.copy(to, from, size);
  void* next = to;
  asm volatile("rep movsb" : "+D"(next), "+S"(from), "+c"(size)::"memory");
  return to;
}

void copy_backwards(void* to, const void* from, std::size_t size) {
  void* last_to = static_cast<char*>(to) + size - 1;
  const void* last_from = static_cast<const char*>(from) + size - 1;
  asm volatile("std\n  rep movsb\n  cld" : "+D"(last_to), "+S"(last_from), "+c"(size)::"memory");
}

void* move_memory(void* to, const void* from, std::size_t size) {
  if (__builtin_expect(real.move != nullptr, 1)) return real.move(to, from, size);
  if (to <= from || static_cast<const char*>(from) + size <= to) return copy_memory(to, from, size);
  copy_backwards(to, from, size);
  return to;
}

void* fill_memory(void* to, int value, std::size_t size) {
  if (__builtin_expect(real.fill != nullptr, 1)) return real.fill(to, value, size);
  void* next = to;
  asm volatile("rep stosb" : "+D"(next), "+c"(size) : "a"(value) : "memory");
  return to;
}

int compare_memory(const void* a, const void* b, std::size_t size) {
  if (__builtin_expect(real.compare != nullptr, 1)) return real.compare(a, b, size);
  const auto* one = static_cast<const unsigned char*>(a);
  const auto* two = static_cast<const unsigned char*>(b);
  for (std::size_t i = 0; i < size; ++i) {
    if (one[i] != two[i]) return one[i] - two[i];
  }
  return 0;
}

// The empty statement keeps compilers from seeing a call of strlen in the loop.
std::size_t length_of(const char* text) {
  if (__builtin_expect(real.length != nullptr, 1)) return real.length(text);
  std::size_t length = 0;
  while (text[length] != 0) {
    ++length;
    asm volatile("");
  }
  return length;
}

std::size_t length_up_to(const char* text, std::size_t limit) {
  std::size_t length = 0;
  while (length < limit && text[length] != 0) ++length;
  return length;
}

char* copy_text(char* to, const char* from, std::size_t size) {
  const std::size_t length = length_up_to(from, size);
  copy_memory(to, from, length);
  fill_memory(to + length, 0, size - length);
  return to;
}

struct Comparison {
  int result;
  std::size_t looked_at;  // characters of each text, the last one included
};

Comparison compare_texts(const char* a, const char* b, std::size_t limit) {
  for (std::size_t i = 0; i < limit; ++i) {
    const auto one = static_cast<unsigned char>(a[i]);
    const auto two = static_cast<unsigned char>(b[i]);
    if (one != two || one == 0) return {one - two, i + 1};
  }
  return {0, limit};
}

int compare_watched(const char* a, const char* b, std::size_t limit, std::uint64_t site) {
  const Comparison comparison = compare_texts(a, b, limit);
  if (watched(site)) {
    reads(a, comparison.looked_at, site);
    reads(b, comparison.looked_at, site);
    return compare_texts(a, b, limit).result;  // others may have run since
  }
  return comparison.result;
}

}  // namespace
}  // namespace ricercar::inline hooks

using namespace ricercar;

RICERCAR_HOOK void* memcpy(void* to, const void* from, size_t size) noexcept {
  if (watched(RICERCAR_SITE())) {
    reads(from, size, RICERCAR_SITE());
    writes(to, size, RICERCAR_SITE());
  }
  return copy_memory(to, from, size);
}
RICERCAR_HOOK void* memmove(void* to, const void* from, size_t size) noexcept {
  if (watched(RICERCAR_SITE())) {
    reads(from, size, RICERCAR_SITE());
    writes(to, size, RICERCAR_SITE());
  }
  return move_memory(to, from, size);
}
RICERCAR_HOOK void* memset(void* to, int value, size_t size) noexcept {
  if (watched(RICERCAR_SITE())) writes(to, size, RICERCAR_SITE());
  return fill_memory(to, value, size);
}
RICERCAR_HOOK int memcmp(const void* a, const void* b, size_t size) noexcept {
  if (watched(RICERCAR_SITE())) {
    reads(a, size, RICERCAR_SITE());
    reads(b, size, RICERCAR_SITE());
  }
  return compare_memory(a, b, size);
}
// What compilers make of a comparison that only asks for equality.
RICERCAR_HOOK int bcmp(const void* a, const void* b, size_t size) noexcept {
  if (watched(RICERCAR_SITE())) {
    reads(a, size, RICERCAR_SITE());
    reads(b, size, RICERCAR_SITE());
  }
  return compare_memory(a, b, size);
}

RICERCAR_HOOK size_t strlen(const char* text) noexcept {
  if (watched(RICERCAR_SITE())) reads(text, length_of(text) + 1, RICERCAR_SITE());
  return length_of(text);
}
RICERCAR_HOOK char* strcpy(char* to, const char* from) noexcept {
  if (watched(RICERCAR_SITE())) {
    reads(from, length_of(from) + 1, RICERCAR_SITE());
    writes(to, length_of(from) + 1, RICERCAR_SITE());
  }
  copy_memory(to, from, length_of(from) + 1);
  return to;
}
RICERCAR_HOOK char* strncpy(char* to, const char* from, size_t size) noexcept {
  if (watched(RICERCAR_SITE())) {
    reads(from, std::min(length_up_to(from, size) + 1, size), RICERCAR_SITE());
    writes(to, size, RICERCAR_SITE());
  }
  return copy_text(to, from, size);
}
RICERCAR_HOOK int strcmp(const char* a, const char* b) noexcept {
  return compare_watched(a, b, ~std::size_t{0}, RICERCAR_SITE());
}
RICERCAR_HOOK int strncmp(const char* a, const char* b, size_t size) noexcept {
  return compare_watched(a, b, size, RICERCAR_SITE());
}

// What the compiler calls instead when it wants the size of a buffer checked.
extern "C" [[noreturn]] void __chk_fail();

RICERCAR_HOOK void* __memcpy_chk(void* to, const void* from, size_t size, size_t room) noexcept {
  if (size > room) __chk_fail();
  if (watched(RICERCAR_SITE())) {
    reads(from, size, RICERCAR_SITE());
    writes(to, size, RICERCAR_SITE());
  }
  return copy_memory(to, from, size);
}
RICERCAR_HOOK void* __memmove_chk(void* to, const void* from, size_t size, size_t room) noexcept {
  if (size > room) __chk_fail();
  if (watched(RICERCAR_SITE())) {
    reads(from, size, RICERCAR_SITE());
    writes(to, size, RICERCAR_SITE());
  }
  return move_memory(to, from, size);
}
RICERCAR_HOOK void* __memset_chk(void* to, int value, size_t size, size_t room) noexcept {
  if (size > room) __chk_fail();
  if (watched(RICERCAR_SITE())) writes(to, size, RICERCAR_SITE());
  return fill_memory(to, value, size);
}

// The runtime's own calls.
RICERCAR_BODY void* __wrap_memcpy(void* to, const void* from, size_t size) {
  return copy_memory(to, from, size);
}
RICERCAR_BODY void* __wrap_memmove(void* to, const void* from, size_t size) {
  return move_memory(to, from, size);
}
RICERCAR_BODY void* __wrap_memset(void* to, int value, size_t size) {
  return fill_memory(to, value, size);
}
RICERCAR_BODY int __wrap_memcmp(const void* a, const void* b, size_t size) {
  return compare_memory(a, b, size);
}
RICERCAR_BODY int __wrap_bcmp(const void* a, const void* b, size_t size) {
  return compare_memory(a, b, size);
}
RICERCAR_BODY size_t __wrap_strlen(const char* text) { return length_of(text); }
RICERCAR_BODY char* __wrap_strcpy(char* to, const char* from) {
  copy_memory(to, from, length_of(from) + 1);
  return to;
}
RICERCAR_BODY char* __wrap_strncpy(char* to, const char* from, size_t size) {
  return copy_text(to, from, size);
}
RICERCAR_BODY int __wrap_strcmp(const char* a, const char* b) {
  return compare_texts(a, b, ~std::size_t{0}).result;
}
RICERCAR_BODY int __wrap_strncmp(const char* a, const char* b, size_t size) {
  return compare_texts(a, b, size).result;
}
