// Hooks: the functions of <string.h> and <stdlib.h> that read and write texts, beyond those of
// memory_functions.cc. Each one is called first and told afterwards, as far as it has looked:
// nobody else runs in between.
#include <locale.h>
#include <stdlib.h>

#include <algorithm>
#include <cstring>

#include "hooks/behind.h"
#include "threads/buffers.h"
#include "threads/hook.h"

namespace ricercar::inline hooks {
namespace {

using Text = char*;
using ConstText = const char*;

std::size_t length_of(ConstText text) { return std::strlen(text); }

// Up to where `found` points to, or the whole text.
void reads_up_to(ConstText text, ConstText found, std::uint64_t site) {
  if (!is_for_program(site)) return;
  expect_live(text, false, site);
  const std::size_t all = length_of(text) + 1;
  program_reads(text, found == nullptr ? all : static_cast<std::size_t>(found - text) + 1, site);
}

void reads_whole(ConstText text, std::uint64_t site) {
  if (is_for_program(site)) program_reads_text(text, site);
}

// Numbers end where the first character stands that is none.
template <typename Number, typename Convert>
Number convert(ConstText text, Text* end, std::uint64_t site, Convert convert_with) {
  Text local_end = nullptr;
  const Number number = convert_with(&local_end);
  reads_up_to(text, local_end, site);
  if (end == nullptr) return number;
  if (is_for_program(site)) program_writes(end, sizeof *end, site);
  *end = local_end;
  return number;
}

void writes_behind(Text to, std::size_t old_length, std::size_t added, std::uint64_t site) {
  program_reads(to, old_length + 1, site);
  program_writes(to + old_length, added + 1, site);
}

// A word was cut off: a zero is behind it unless it was the last one.
void split_off(ConstText start, Text word, ConstText rest, std::uint64_t site) {
  if (start == nullptr || rest == nullptr) return;
  program_reads(start, static_cast<std::size_t>(rest - start), site);
  if (word == nullptr) return;
  Text end = word + length_of(word);
  if (end < rest) program_writes(end, 1, site);
}

using FindCharacter = Text (*)(ConstText, int);
using FindText = Text (*)(ConstText, ConstText);
using FindInMemory = void* (*)(const void*, int, std::size_t);
using Compare = int (*)(ConstText, ConstText);
using CompareSome = int (*)(ConstText, ConstText, std::size_t);
using Append = Text (*)(Text, ConstText);
using AppendSome = Text (*)(Text, ConstText, std::size_t);
using Copy = Text (*)(ConstText);
using CopySome = Text (*)(ConstText, std::size_t);
using Span = std::size_t (*)(ConstText, ConstText);
using LengthSome = std::size_t (*)(ConstText, std::size_t);
using Split = Text (*)(Text, ConstText, Text*);
using Sort = void (*)(void*, std::size_t, std::size_t, int (*)(const void*, const void*));
using SortWith = void (*)(void*, std::size_t, std::size_t, int (*)(const void*, const void*, void*),
                          void*);

std::size_t common_length(ConstText a, ConstText b, std::size_t limit) {
  std::size_t i = 0;
  while (i < limit && a[i] != 0 && b[i] != 0 && (a[i] | 32) == (b[i] | 32)) ++i;
  return std::min(i + 1, limit);
}

void reads_compared(ConstText a, ConstText b, std::size_t limit, std::uint64_t site) {
  if (!is_for_program(site)) return;
  const std::size_t length = common_length(a, b, limit);
  program_reads(a, length, site);
  program_reads(b, length, site);
}

std::size_t length_up_to(ConstText text, std::size_t limit) {
  std::size_t length = 0;
  while (length < limit && text[length] != 0) ++length;
  return length;
}

}  // namespace
}  // namespace ricercar::inline hooks

using namespace ricercar;

// The entry stubs keep these hooks apart from the overloaded functions that headers declare.
#define RICERCAR_TEXT_HOOK(type, name, parameters) \
  RICERCAR_ENTRY(name);                            \
  RICERCAR_BODY type ricercar_body_##name parameters

RICERCAR_TEXT_HOOK(Text, strchr, (ConstText text, int character)) {
  Text found = RICERCAR_BEHIND_AS(FindCharacter, "strchr")(text, character);
  reads_up_to(text, found, RICERCAR_SITE());
  return found;
}
RICERCAR_TEXT_HOOK(Text, strchrnul, (ConstText text, int character)) {
  Text found = RICERCAR_BEHIND_AS(FindCharacter, "strchrnul")(text, character);
  reads_up_to(text, found, RICERCAR_SITE());
  return found;
}
RICERCAR_TEXT_HOOK(Text, strrchr, (ConstText text, int character)) {
  reads_whole(text, RICERCAR_SITE());
  return RICERCAR_BEHIND_AS(FindCharacter, "strrchr")(text, character);
}
RICERCAR_TEXT_HOOK(Text, strstr, (ConstText text, ConstText part)) {
  Text found = RICERCAR_BEHIND_AS(FindText, "strstr")(text, part);
  reads_whole(part, RICERCAR_SITE());
  reads_up_to(text, found, RICERCAR_SITE());
  return found;
}
RICERCAR_TEXT_HOOK(Text, strpbrk, (ConstText text, ConstText set)) {
  Text found = RICERCAR_BEHIND_AS(FindText, "strpbrk")(text, set);
  reads_whole(set, RICERCAR_SITE());
  reads_up_to(text, found, RICERCAR_SITE());
  return found;
}
RICERCAR_TEXT_HOOK(void*, memchr, (const void* memory, int value, size_t size)) {
  void* found = RICERCAR_BEHIND_AS(FindInMemory, "memchr")(memory, value, size);
  if (is_for_program(RICERCAR_SITE())) {
    const auto* start = static_cast<ConstText>(memory);
    program_reads(memory,
                  found == nullptr
                      ? size
                      : static_cast<std::size_t>(static_cast<ConstText>(found) - start) + 1,
                  RICERCAR_SITE());
  }
  return found;
}
RICERCAR_TEXT_HOOK(size_t, strspn, (ConstText text, ConstText set)) {
  const size_t length = RICERCAR_BEHIND_AS(Span, "strspn")(text, set);
  reads_whole(set, RICERCAR_SITE());
  reads_up_to(text, text + length, RICERCAR_SITE());
  return length;
}
RICERCAR_TEXT_HOOK(size_t, strcspn, (ConstText text, ConstText set)) {
  const size_t length = RICERCAR_BEHIND_AS(Span, "strcspn")(text, set);
  reads_whole(set, RICERCAR_SITE());
  reads_up_to(text, text + length, RICERCAR_SITE());
  return length;
}
RICERCAR_TEXT_HOOK(size_t, strnlen, (ConstText text, size_t limit)) {
  if (is_for_program(RICERCAR_SITE())) program_reads_text(text, limit, RICERCAR_SITE());
  return RICERCAR_BEHIND_AS(LengthSome, "strnlen")(text, limit);
}
RICERCAR_TEXT_HOOK(int, strcasecmp, (ConstText a, ConstText b)) {
  reads_compared(a, b, ~std::size_t{0}, RICERCAR_SITE());
  return RICERCAR_BEHIND_AS(Compare, "strcasecmp")(a, b);
}
RICERCAR_TEXT_HOOK(int, strncasecmp, (ConstText a, ConstText b, size_t limit)) {
  reads_compared(a, b, limit, RICERCAR_SITE());
  return RICERCAR_BEHIND_AS(CompareSome, "strncasecmp")(a, b, limit);
}

RICERCAR_TEXT_HOOK(Text, strcat, (Text to, ConstText from)) {
  if (is_for_program(RICERCAR_SITE())) {
    program_reads_text(from, RICERCAR_SITE());
    writes_behind(to, length_of(to), length_of(from), RICERCAR_SITE());
  }
  return RICERCAR_BEHIND_AS(Append, "strcat")(to, from);
}
RICERCAR_TEXT_HOOK(Text, strncat, (Text to, ConstText from, size_t limit)) {
  if (is_for_program(RICERCAR_SITE())) {
    program_reads_text(from, limit, RICERCAR_SITE());
    writes_behind(to, length_of(to), length_up_to(from, limit), RICERCAR_SITE());
  }
  return RICERCAR_BEHIND_AS(AppendSome, "strncat")(to, from, limit);
}
RICERCAR_TEXT_HOOK(Text, stpcpy, (Text to, ConstText from)) {
  if (is_for_program(RICERCAR_SITE())) {
    program_reads_text(from, RICERCAR_SITE());
    program_writes(to, length_of(from) + 1, RICERCAR_SITE());
  }
  return RICERCAR_BEHIND_AS(Append, "stpcpy")(to, from);
}

#define RICERCAR_COPY_HOOK(name)                     \
  RICERCAR_TEXT_HOOK(Text, name, (ConstText text)) { \
    reads_whole(text, RICERCAR_SITE());              \
    return RICERCAR_BEHIND_AS(Copy, #name)(text);    \
  }
RICERCAR_COPY_HOOK(strdup)
RICERCAR_COPY_HOOK(__strdup)

#define RICERCAR_COPY_SOME_HOOK(name)                                                      \
  RICERCAR_TEXT_HOOK(Text, name, (ConstText text, size_t limit)) {                         \
    if (is_for_program(RICERCAR_SITE())) program_reads_text(text, limit, RICERCAR_SITE()); \
    return RICERCAR_BEHIND_AS(CopySome, #name)(text, limit);                               \
  }
RICERCAR_COPY_SOME_HOOK(strndup)
RICERCAR_COPY_SOME_HOOK(__strndup)

RICERCAR_TEXT_HOOK(Text, strtok_r, (Text text, ConstText set, Text* rest)) {
  if (!is_for_program(RICERCAR_SITE())) {
    return RICERCAR_BEHIND_AS(Split, "strtok_r")(text, set, rest);
  }
  program_reads_text(set, RICERCAR_SITE());
  program_writes(rest, sizeof *rest, RICERCAR_SITE());
  Text start = text != nullptr ? text : *rest;
  if (start != nullptr) expect_live(start, true, RICERCAR_SITE());
  Text word = RICERCAR_BEHIND_AS(Split, "strtok_r")(text, set, rest);
  split_off(start, word, *rest, RICERCAR_SITE());
  return word;
}

#define RICERCAR_INTEGER_HOOK(type, name)                                  \
  RICERCAR_TEXT_HOOK(type, name, (ConstText text, Text * end, int base)) { \
    using Function = type (*)(ConstText, Text*, int);                      \
    return convert<type>(text, end, RICERCAR_SITE(), [&](Text* local) {    \
      return RICERCAR_BEHIND_AS(Function, #name)(text, local, base);       \
    });                                                                    \
  }
RICERCAR_INTEGER_HOOK(long, strtol)
RICERCAR_INTEGER_HOOK(unsigned long, strtoul)
RICERCAR_INTEGER_HOOK(long long, strtoll)
RICERCAR_INTEGER_HOOK(unsigned long long, strtoull)

#define RICERCAR_FLOATING_HOOK(type, name)                              \
  RICERCAR_TEXT_HOOK(type, name, (ConstText text, Text * end)) {        \
    using Function = type (*)(ConstText, Text*);                        \
    return convert<type>(text, end, RICERCAR_SITE(), [&](Text* local) { \
      return RICERCAR_BEHIND_AS(Function, #name)(text, local);          \
    });                                                                 \
  }
RICERCAR_FLOATING_HOOK(double, strtod)
RICERCAR_FLOATING_HOOK(float, strtof)

#define RICERCAR_NUMBER_HOOK(type, name)              \
  RICERCAR_TEXT_HOOK(type, name, (ConstText text)) {  \
    using Function = type (*)(ConstText);             \
    reads_whole(text, RICERCAR_SITE());               \
    return RICERCAR_BEHIND_AS(Function, #name)(text); \
  }
RICERCAR_NUMBER_HOOK(int, atoi)
RICERCAR_NUMBER_HOOK(long, atol)
RICERCAR_NUMBER_HOOK(long long, atoll)
RICERCAR_NUMBER_HOOK(double, atof)

// The elements are compared by the program itself and moved by the library.
RICERCAR_TEXT_HOOK(void, qsort,
                   (void* start, size_t count, size_t size,
                    int (*compare)(const void*, const void*))) {
  if (is_for_program(RICERCAR_SITE())) program_writes(start, count * size, RICERCAR_SITE());
  RICERCAR_BEHIND_AS(Sort, "qsort")(start, count, size, compare);
}
RICERCAR_TEXT_HOOK(void, qsort_r,
                   (void* start, size_t count, size_t size,
                    int (*compare)(const void*, const void*, void*), void* argument)) {
  if (is_for_program(RICERCAR_SITE())) program_writes(start, count * size, RICERCAR_SITE());
  RICERCAR_BEHIND_AS(SortWith, "qsort_r")(start, count, size, compare, argument);
}
