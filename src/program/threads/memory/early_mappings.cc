#include "threads/memory/early_mappings.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/system_call.h"
#include "threads/memory/memory_state.h"
#include "threads/memory/page_guard.h"

namespace ricercar::inline threads {
namespace {

constexpr auto& state = memory_state.early_mappings;
using Piece = EarlyMappings::Piece;

constexpr std::uint64_t most_bytes = 256 << 20;
constexpr std::uint64_t most_shared_bytes = 16 << 20;
constexpr std::size_t text_size = 4 << 20;

Piece piece(void* start, std::size_t size) {
  const auto low = reinterpret_cast<std::uint64_t>(start);
  return {low, low + ((size + page_size - 1) & ~(page_size - 1))};
}

void add(Piece added) {
  state.overflowed = state.overflowed || state.piece_count == EarlyMappings::most;
  if (!state.overflowed && added.low < added.high) state.pieces[state.piece_count++] = added;
}

// One line of the list of mappings: "low-high rwxp ...".
struct Line {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  bool writable = false;
  bool shared = false;
};

const char* read_number(const char* text, std::uint64_t& number) {
  for (number = 0;; ++text) {
    if (*text >= '0' && *text <= '9') {
      number = number * 16 + static_cast<std::uint64_t>(*text - '0');
    } else if (*text >= 'a' && *text <= 'f') {
      number = number * 16 + static_cast<std::uint64_t>(*text - 'a' + 10);
    } else {
      return text;
    }
  }
}

Line read_line(const char* text) {
  Line line;
  text = read_number(text, line.low);
  text = read_number(text + 1, line.high);
  line.writable = text[1] == 'r' && text[2] == 'w';
  line.shared = text[4] == 's';
  return line;
}

class Finder {
 public:
  Finder(ProgramRanges& found, ProgramRanges& shared) : found_(found), shared_(shared) {}

  void look_at(const Line& line) {
    if (!line.writable) return;
    for (std::size_t i = 0; i < state.piece_count; ++i) {
      take({std::max(line.low, state.pieces[i].low), std::min(line.high, state.pieces[i].high)},
           line.shared);
    }
  }
  bool fits() const { return bytes_ <= most_bytes && shared_bytes_ <= most_shared_bytes; }

 private:
  void take(Piece part, bool is_shared) {
    if (part.low >= part.high) return;
    (is_shared ? shared_bytes_ : bytes_) += part.high - part.low;
    (is_shared ? shared_ : found_)
        .add({reinterpret_cast<char*>(part.low), part.high - part.low, false, true, true});
  }

  ProgramRanges& found_;
  ProgramRanges& shared_;
  std::uint64_t bytes_ = 0;
  std::uint64_t shared_bytes_ = 0;
};

// The whole list, with a zero at its end.
std::size_t read_all(char* text) {
  std::size_t size = 0;
  while (size < text_size - 1) {
    const long got = state.own_mappings.read_at(text + size, text_size - 1 - size, size);
    if (got <= 0) break;
    size += static_cast<std::size_t>(got);
  }
  return size;
}

}  // namespace

void note_early_mapping(void* start, std::size_t size) {
  forget_early_mapping(start, size);
  add(piece(start, size));
}

void forget_early_mapping(void* start, std::size_t size) {
  const Piece gone = piece(start, size);
  const std::size_t count = state.piece_count;
  for (std::size_t i = 0; i < count; ++i) {
    const Piece old = state.pieces[i];
    if (gone.high <= old.low || old.high <= gone.low) continue;
    state.pieces[i] = {old.low, std::max(old.low, gone.low)};
    add({gone.high, old.high});
  }
}

void note_early_break() {
  if (state.first_break == 0)
    state.first_break = static_cast<std::uint64_t>(system_call(SYS_brk, 0));
}

bool find_early_mappings(ProgramRanges& found, ProgramRanges& shared) {
  if (state.first_break != 0)
    add({state.first_break, static_cast<std::uint64_t>(system_call(SYS_brk, 0))});
  if (state.overflowed) return false;
  if (state.piece_count == 0) return true;
  char* text = map_memory(nullptr, text_size, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE);
  RICERCAR_CHECK(text != nullptr);
  const char* end = text + read_all(text);
  Finder finder(found, shared);
  for (const char* line = text; line < end;) {
    finder.look_at(read_line(line));
    const auto* newline =
        static_cast<const char*>(std::memchr(line, '\n', static_cast<std::size_t>(end - line)));
    line = newline == nullptr ? end : newline + 1;
  }
  system_call(SYS_munmap, as_argument(text), text_size);
  return finder.fits();
}

}  // namespace ricercar::inline threads
