// Hooks: reading from and writing to streams. What they read and fill is the program's; the streams
// and their buffers are the C library's, which locks them. A stream that was closed is freed
// memory.
#include <stdio.h>

#include <cstring>

#include "hooks/behind.h"
#include "threads/buffers.h"
#include "threads/hook.h"
#include "threads/node_files.h"
#include "threads/streams.h"

namespace ricercar::inline hooks {
namespace {

void use_stream(FILE* file, bool is_write, std::uint64_t site) {
  expect_live(file, true, site);
  note_stream_use(file, is_write, site);
}

template <typename Read>
std::size_t read_items(void* to, std::size_t size, std::size_t count, FILE* file,
                       std::uint64_t site, Read read) {
  if (!is_for_program(site)) return read();
  use_stream(file, false, site);
  const Filling filling(to, size * count, site);
  const std::size_t items = read();
  filling.filled(items * size);
  return items;
}

template <typename Write>
std::size_t write_items(const void* from, std::size_t size, std::size_t count, FILE* file,
                        std::uint64_t site, Write write) {
  if (!is_for_program(site)) return write();
  use_stream(file, true, site);
  program_reads(from, size * count, site);
  FlushOfStream flush("fwrite", file, size * count, site);
  return flush.done(write());
}

template <typename Read>
char* read_line(char* to, int size, FILE* file, std::uint64_t site, Read read) {
  if (!is_for_program(site) || size <= 0) return read();
  use_stream(file, false, site);
  const Filling filling(to, static_cast<std::size_t>(size), site);
  char* line = read();
  if (line != nullptr) filling.filled(std::strlen(line) + 1);
  return line;
}

template <typename Write>
int write_text(const char* text, FILE* file, std::uint64_t site, Write write) {
  if (!is_for_program(site)) return write();
  use_stream(file != nullptr ? file : stdout, true, site);
  program_reads_text(text, site);
  if (!stream_may_fail(file)) return write();
  FlushOfStream flush("fputs", file, std::strlen(text), site);
  return flush.done(write());
}

// Characters are values: only the stream counts.
template <typename Call>
int with_stream(FILE* file, bool is_write, std::uint64_t site, Call call) {
  if (is_for_program(site)) use_stream(file, is_write, site);
  return call();
}

template <typename Write>
int write_character(FILE* file, std::uint64_t site, Write write) {
  if (!is_for_program(site)) return write();
  use_stream(file, true, site);
  FlushOfStream flush("fputc", file, 1, site);
  return flush.done(write());
}

template <typename Read>
ssize_t read_whole_line(char** line, std::size_t* room, FILE* file, std::uint64_t site, Read read) {
  if (!is_for_program(site)) return read();
  use_stream(file, false, site);
  program_writes(line, sizeof *line, site);
  program_writes(room, sizeof *room, site);
  if (*line != nullptr) expect_live(*line, true, site);
  const ssize_t length = read();
  if (length >= 0) program_writes(*line, static_cast<std::size_t>(length) + 1, site);
  return length;
}

using ReadItems = std::size_t (*)(void*, std::size_t, std::size_t, FILE*);
using ReadItemsChecked = std::size_t (*)(void*, std::size_t, std::size_t, std::size_t, FILE*);
using WriteItems = std::size_t (*)(const void*, std::size_t, std::size_t, FILE*);
using ReadLine = char* (*)(char*, int, FILE*);
using ReadLineChecked = char* (*)(char*, std::size_t, int, FILE*);
using WriteText = int (*)(const char*, FILE*);
using WriteLine = int (*)(const char*);
using OnStream = int (*)(FILE*);
using WriteCharacter = int (*)(int, FILE*);
using ReadWholeLine = ssize_t (*)(char**, std::size_t*, FILE*);
using ReadUntil = ssize_t (*)(char**, std::size_t*, int, FILE*);

}  // namespace
}  // namespace ricercar::inline hooks

using namespace ricercar;

#define RICERCAR_READ_ITEMS_HOOK(name)                                                         \
  RICERCAR_ENTRY(name);                                                                        \
  RICERCAR_BODY size_t ricercar_body_##name(void* to, size_t size, size_t count, FILE* file) { \
    return read_items(to, size, count, file, RICERCAR_SITE(), [&] {                            \
      return RICERCAR_BEHIND_AS(ReadItems, #name)(to, size, count, file);                      \
    });                                                                                        \
  }
RICERCAR_READ_ITEMS_HOOK(fread)
RICERCAR_READ_ITEMS_HOOK(fread_unlocked)

RICERCAR_ENTRY(__fread_chk);
RICERCAR_BODY size_t ricercar_body___fread_chk(void* to, size_t room, size_t size, size_t count,
                                               FILE* file) {
  return read_items(to, size, count, file, RICERCAR_SITE(), [&] {
    return RICERCAR_BEHIND_AS(ReadItemsChecked, "__fread_chk")(to, room, size, count, file);
  });
}

#define RICERCAR_WRITE_ITEMS_HOOK(name)                                                  \
  RICERCAR_ENTRY(name);                                                                  \
  RICERCAR_BODY size_t ricercar_body_##name(const void* from, size_t size, size_t count, \
                                            FILE* file) {                                \
    return write_items(from, size, count, file, RICERCAR_SITE(), [&] {                   \
      return RICERCAR_BEHIND_AS(WriteItems, #name)(from, size, count, file);             \
    });                                                                                  \
  }
RICERCAR_WRITE_ITEMS_HOOK(fwrite)
RICERCAR_WRITE_ITEMS_HOOK(fwrite_unlocked)

#define RICERCAR_READ_LINE_HOOK(name)                                                      \
  RICERCAR_ENTRY(name);                                                                    \
  RICERCAR_BODY char* ricercar_body_##name(char* to, int size, FILE* file) {               \
    return read_line(to, size, file, RICERCAR_SITE(),                                      \
                     [&] { return RICERCAR_BEHIND_AS(ReadLine, #name)(to, size, file); }); \
  }
RICERCAR_READ_LINE_HOOK(fgets)
RICERCAR_READ_LINE_HOOK(fgets_unlocked)

RICERCAR_ENTRY(__fgets_chk);
RICERCAR_BODY char* ricercar_body___fgets_chk(char* to, size_t room, int size, FILE* file) {
  return read_line(to, size, file, RICERCAR_SITE(), [&] {
    return RICERCAR_BEHIND_AS(ReadLineChecked, "__fgets_chk")(to, room, size, file);
  });
}

#define RICERCAR_WRITE_TEXT_HOOK(name)                                                   \
  RICERCAR_ENTRY(name);                                                                  \
  RICERCAR_BODY int ricercar_body_##name(const char* text, FILE* file) {                 \
    return write_text(text, file, RICERCAR_SITE(),                                       \
                      [&] { return RICERCAR_BEHIND_AS(WriteText, #name)(text, file); }); \
  }
RICERCAR_WRITE_TEXT_HOOK(fputs)
RICERCAR_WRITE_TEXT_HOOK(fputs_unlocked)

RICERCAR_ENTRY(puts);
RICERCAR_BODY int ricercar_body_puts(const char* text) {
  return write_text(text, nullptr, RICERCAR_SITE(),
                    [&] { return RICERCAR_BEHIND_AS(WriteLine, "puts")(text); });
}

#define RICERCAR_STREAM_HOOK(name)                                                 \
  RICERCAR_ENTRY(name);                                                            \
  RICERCAR_BODY int ricercar_body_##name(FILE* file) {                             \
    return with_stream(file, false, RICERCAR_SITE(),                               \
                       [&] { return RICERCAR_BEHIND_AS(OnStream, #name)(file); }); \
  }
RICERCAR_STREAM_HOOK(fgetc)
RICERCAR_STREAM_HOOK(getc)
RICERCAR_STREAM_HOOK(feof)
RICERCAR_STREAM_HOOK(ferror)

#define RICERCAR_CHARACTER_HOOK(name)                                \
  RICERCAR_ENTRY(name);                                              \
  RICERCAR_BODY int ricercar_body_##name(int value, FILE* file) {    \
    return write_character(file, RICERCAR_SITE(), [&] {              \
      return RICERCAR_BEHIND_AS(WriteCharacter, #name)(value, file); \
    });                                                              \
  }
RICERCAR_CHARACTER_HOOK(fputc)
RICERCAR_CHARACTER_HOOK(putc)

RICERCAR_ENTRY(ungetc);
RICERCAR_BODY int ricercar_body_ungetc(int value, FILE* file) {
  return with_stream(file, true, RICERCAR_SITE(),
                     [&] { return RICERCAR_BEHIND_AS(WriteCharacter, "ungetc")(value, file); });
}

RICERCAR_ENTRY(getline);
RICERCAR_BODY ssize_t ricercar_body_getline(char** line, size_t* room, FILE* file) {
  return read_whole_line(line, room, file, RICERCAR_SITE(), [&] {
    return RICERCAR_BEHIND_AS(ReadWholeLine, "getline")(line, room, file);
  });
}
#define RICERCAR_READ_UNTIL_HOOK(name)                                                         \
  RICERCAR_ENTRY(name);                                                                        \
  RICERCAR_BODY ssize_t ricercar_body_##name(char** line, size_t* room, int end, FILE* file) { \
    return read_whole_line(line, room, file, RICERCAR_SITE(), [&] {                            \
      return RICERCAR_BEHIND_AS(ReadUntil, #name)(line, room, end, file);                      \
    });                                                                                        \
  }
RICERCAR_READ_UNTIL_HOOK(getdelim)
RICERCAR_READ_UNTIL_HOOK(__getdelim)
