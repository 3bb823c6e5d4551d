// Hooks: the printf and scanf families. They read the texts of %s and fill buffers and variables of
// the program.
#include <stdarg.h>
#include <stdio.h>

#include <algorithm>

#include "hooks/behind.h"
#include "threads/buffers.h"
#include "threads/format_arguments.h"
#include "threads/hook.h"
#include "threads/memory/external_state.h"
#include "threads/memory/real_function.h"
#include "threads/node_files.h"
#include "threads/streams.h"

namespace ricercar::inline hooks {
namespace {

std::size_t length_of(const char* format, va_list list) {
  va_list copy;
  va_copy(copy, list);
  const int length = RICERCAR_BEHIND(vsnprintf)(nullptr, 0, format, copy);
  va_end(copy);
  return static_cast<std::size_t>(std::max(length, 0));
}

// Prints with a function that takes everything before the format and the list itself. `file` is
// null for a descriptor.
template <typename Print>
int print(FILE* file, const char* format, va_list list, std::uint64_t site, Print print_list) {
  if (!is_for_program(site)) return print_list(format, list);
  if (file != nullptr) note_stream_use(file, true, site);
  program_reads_format(format, list, site);
  if (!stream_may_fail(file)) return print_list(format, list);
  FlushOfStream flush("fprintf", file, length_of(format, list), site);
  return flush.done(print_list(format, list));
}

// Into a buffer of `size` bytes.
template <typename Print>
int print_into(char* to, std::size_t size, const char* format, va_list list, std::uint64_t site,
               Print print_list) {
  if (!is_for_program(site)) return print_list(format, list);
  program_reads_format(format, list, site);
  const Filling filling(to, size == 0 ? 0 : 1, site);
  const int length = print_list(format, list);
  const std::size_t written = length < 0 ? 0 : static_cast<std::size_t>(length) + 1;
  program_writes(to, std::min(written, size), site);
  return length;
}

// What was read from a text is that text; what was read from a stream is its own business.
template <typename Scan>
int scan(const char* text, const char* format, va_list list, std::uint64_t site, Scan scan_list) {
  if (!is_for_program(site)) return scan_list(format, list);
  program_reads_text(format, site);
  program_reads_text(text, site);
  va_list copy;
  va_copy(copy, list);
  const int assigned = scan_list(format, list);
  program_writes_scanned(format, copy, assigned, site);
  va_end(copy);
  return assigned;
}

constexpr std::size_t any_size = ~std::size_t{0} >> 1;

using PrintChecked = int (*)(FILE*, int, const char*, va_list);
using PrintToChecked = int (*)(int, int, const char*, va_list);
using PrintIntoChecked = int (*)(char*, std::size_t, int, std::size_t, const char*, va_list);
using PrintAnywhereChecked = int (*)(char*, int, std::size_t, const char*, va_list);
using ScanText = int (*)(const char*, const char*, va_list);
using ScanStream = int (*)(FILE*, const char*, va_list);

}  // namespace
}  // namespace ricercar::inline hooks

using namespace ricercar;

// The body of a hook that has its arguments in a list: `call` uses them.
#define RICERCAR_WITH_LIST(last, call) \
  va_list list;                        \
  va_start(list, last);                \
  const int result = call;             \
  va_end(list);                        \
  return result;

#define RICERCAR_LIST_CALL(...) [&](const char* f, va_list l) { return __VA_ARGS__; }

RICERCAR_HOOK int vfprintf(FILE* file, const char* format, va_list list) {
  return print(file, format, list, RICERCAR_SITE(),
               RICERCAR_LIST_CALL(RICERCAR_BEHIND(vfprintf)(file, f, l)));
}
RICERCAR_HOOK int fprintf(FILE* file, const char* format, ...) {
  const std::uint64_t site = RICERCAR_SITE();
  RICERCAR_WITH_LIST(format, print(file, format, list, site,
                                   RICERCAR_LIST_CALL(RICERCAR_BEHIND(vfprintf)(file, f, l))))
}
RICERCAR_HOOK int vprintf(const char* format, va_list list) {
  return print(stdout, format, list, RICERCAR_SITE(),
               RICERCAR_LIST_CALL(RICERCAR_BEHIND(vfprintf)(stdout, f, l)));
}
RICERCAR_HOOK int printf(const char* format, ...) {
  const std::uint64_t site = RICERCAR_SITE();
  RICERCAR_WITH_LIST(format, print(stdout, format, list, site,
                                   RICERCAR_LIST_CALL(RICERCAR_BEHIND(vfprintf)(stdout, f, l))))
}
RICERCAR_HOOK int vdprintf(int number, const char* format, va_list list) {
  used_past_hooks(number);
  return print(nullptr, format, list, RICERCAR_SITE(),
               RICERCAR_LIST_CALL(RICERCAR_BEHIND(vdprintf)(number, f, l)));
}
RICERCAR_HOOK int dprintf(int number, const char* format, ...) {
  const std::uint64_t site = RICERCAR_SITE();
  used_past_hooks(number);
  RICERCAR_WITH_LIST(format, print(nullptr, format, list, site,
                                   RICERCAR_LIST_CALL(RICERCAR_BEHIND(vdprintf)(number, f, l))))
}

RICERCAR_HOOK int vsnprintf(char* to, size_t size, const char* format, va_list list) noexcept {
  return print_into(to, size, format, list, RICERCAR_SITE(),
                    RICERCAR_LIST_CALL(RICERCAR_BEHIND(vsnprintf)(to, size, f, l)));
}
RICERCAR_HOOK int snprintf(char* to, size_t size, const char* format, ...) noexcept {
  const std::uint64_t site = RICERCAR_SITE();
  RICERCAR_WITH_LIST(format,
                     print_into(to, size, format, list, site,
                                RICERCAR_LIST_CALL(RICERCAR_BEHIND(vsnprintf)(to, size, f, l))))
}
RICERCAR_HOOK int vsprintf(char* to, const char* format, va_list list) noexcept {
  return print_into(to, any_size, format, list, RICERCAR_SITE(),
                    RICERCAR_LIST_CALL(RICERCAR_BEHIND(vsprintf)(to, f, l)));
}
RICERCAR_HOOK int sprintf(char* to, const char* format, ...) noexcept {
  const std::uint64_t site = RICERCAR_SITE();
  RICERCAR_WITH_LIST(format, print_into(to, any_size, format, list, site,
                                        RICERCAR_LIST_CALL(RICERCAR_BEHIND(vsprintf)(to, f, l))))
}
RICERCAR_HOOK int vasprintf(char** to, const char* format, va_list list) noexcept {
  const int length = print(nullptr, format, list, RICERCAR_SITE(),
                           RICERCAR_LIST_CALL(RICERCAR_BEHIND(vasprintf)(to, f, l)));
  if (is_for_program(RICERCAR_SITE())) program_writes(to, sizeof *to, RICERCAR_SITE());
  return length;
}
RICERCAR_HOOK int asprintf(char** to, const char* format, ...) noexcept {
  const std::uint64_t site = RICERCAR_SITE();
  if (is_for_program(site)) program_writes(to, sizeof *to, site);
  RICERCAR_WITH_LIST(format, print(nullptr, format, list, site,
                                   RICERCAR_LIST_CALL(RICERCAR_BEHIND(vasprintf)(to, f, l))))
}

// What the compiler calls instead when it wants sizes checked.
RICERCAR_HOOK int __fprintf_chk(FILE* file, int flag, const char* format, ...) {
  const std::uint64_t site = RICERCAR_SITE();
  RICERCAR_WITH_LIST(format, print(file, format, list, site,
                                   RICERCAR_LIST_CALL(RICERCAR_BEHIND_AS(
                                       PrintChecked, "__vfprintf_chk")(file, flag, f, l))))
}
RICERCAR_HOOK int __printf_chk(int flag, const char* format, ...) {
  const std::uint64_t site = RICERCAR_SITE();
  RICERCAR_WITH_LIST(format, print(stdout, format, list, site,
                                   RICERCAR_LIST_CALL(RICERCAR_BEHIND_AS(
                                       PrintChecked, "__vfprintf_chk")(stdout, flag, f, l))))
}
RICERCAR_HOOK int __dprintf_chk(int number, int flag, const char* format, ...) {
  const std::uint64_t site = RICERCAR_SITE();
  used_past_hooks(number);
  RICERCAR_WITH_LIST(format, print(nullptr, format, list, site,
                                   RICERCAR_LIST_CALL(RICERCAR_BEHIND_AS(
                                       PrintToChecked, "__vdprintf_chk")(number, flag, f, l))))
}
RICERCAR_HOOK int __vdprintf_chk(int number, int flag, const char* format, va_list list) {
  used_past_hooks(number);
  return print(
      nullptr, format, list, RICERCAR_SITE(),
      RICERCAR_LIST_CALL(RICERCAR_BEHIND_AS(PrintToChecked, "__vdprintf_chk")(number, flag, f, l)));
}
RICERCAR_HOOK int __vsnprintf_chk(char* to, size_t size, int flag, size_t room, const char* format,
                                  va_list list) noexcept {
  return print_into(to, size, format, list, RICERCAR_SITE(),
                    RICERCAR_LIST_CALL(RICERCAR_BEHIND_AS(PrintIntoChecked, "__vsnprintf_chk")(
                        to, size, flag, room, f, l)));
}
RICERCAR_HOOK int __snprintf_chk(char* to, size_t size, int flag, size_t room, const char* format,
                                 ...) noexcept {
  const std::uint64_t site = RICERCAR_SITE();
  RICERCAR_WITH_LIST(
      format, print_into(to, size, format, list, site,
                         RICERCAR_LIST_CALL(RICERCAR_BEHIND_AS(PrintIntoChecked, "__vsnprintf_chk")(
                             to, size, flag, room, f, l))))
}
RICERCAR_HOOK int __sprintf_chk(char* to, int flag, size_t room, const char* format, ...) noexcept {
  const std::uint64_t site = RICERCAR_SITE();
  RICERCAR_WITH_LIST(format,
                     print_into(to, room, format, list, site,
                                RICERCAR_LIST_CALL(RICERCAR_BEHIND_AS(
                                    PrintAnywhereChecked, "__vsprintf_chk")(to, flag, room, f, l))))
}

// The headers give the scanf family other names, of which both are in use.
#define RICERCAR_SCAN_HOOKS(text_scan, stream_scan, input_scan, prefix)                          \
  RICERCAR_ENTRY(text_scan);                                                                     \
  RICERCAR_BODY int ricercar_body_##text_scan(const char* text, const char* format, ...) {       \
    const std::uint64_t site = RICERCAR_SITE();                                                  \
    RICERCAR_WITH_LIST(                                                                          \
        format,                                                                                  \
        scan(text, format, list, site,                                                           \
             RICERCAR_LIST_CALL(RICERCAR_BEHIND_AS(ScanText, prefix "vsscanf")(text, f, l))))    \
  }                                                                                              \
  RICERCAR_ENTRY(stream_scan);                                                                   \
  RICERCAR_BODY int ricercar_body_##stream_scan(FILE* file, const char* format, ...) {           \
    const std::uint64_t site = RICERCAR_SITE();                                                  \
    RICERCAR_WITH_LIST(                                                                          \
        format,                                                                                  \
        scan(nullptr, format, list, site,                                                        \
             RICERCAR_LIST_CALL(RICERCAR_BEHIND_AS(ScanStream, prefix "vfscanf")(file, f, l))))  \
  }                                                                                              \
  RICERCAR_ENTRY(input_scan);                                                                    \
  RICERCAR_BODY int ricercar_body_##input_scan(const char* format, ...) {                        \
    const std::uint64_t site = RICERCAR_SITE();                                                  \
    RICERCAR_WITH_LIST(                                                                          \
        format,                                                                                  \
        scan(nullptr, format, list, site,                                                        \
             RICERCAR_LIST_CALL(RICERCAR_BEHIND_AS(ScanStream, prefix "vfscanf")(stdin, f, l)))) \
  }

RICERCAR_SCAN_HOOKS(sscanf, fscanf, scanf, "")
RICERCAR_SCAN_HOOKS(__isoc99_sscanf, __isoc99_fscanf, __isoc99_scanf, "__isoc99_")
