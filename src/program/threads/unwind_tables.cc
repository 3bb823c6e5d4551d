#include <cstring>
#include <string_view>

#include "threads/frame_rules.h"

// Of the unwinder: where the table for an address is. It has no header.
struct dwarf_eh_bases {
  void* text;
  void* data;
  void* function;
};
extern "C" const void* _Unwind_Find_FDE(void* address, dwarf_eh_bases* bases);

namespace ricercar::inline threads {
namespace {

constexpr std::uint64_t frame_pointer = 6;
constexpr std::uint64_t stack_pointer = 7;
constexpr std::uint64_t return_address = 16;
constexpr std::int64_t return_address_offset = -8;

// Reads a table; what it cannot read makes it fail for good.
class Reader {
 public:
  Reader() = default;
  Reader(const std::uint8_t* at, const std::uint8_t* end) : at_(at), end_(end) {}

  bool failed() const { return failed_; }
  bool is_at_end() const { return failed_ || at_ >= end_; }
  void fail() { failed_ = true; }
  const std::uint8_t* at() const { return at_; }

  template <typename T>
  T fixed() {
    T value{};
    if (skip(sizeof(T))) std::memcpy(&value, at_ - sizeof(T), sizeof(T));
    return value;
  }
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = fixed<std::uint8_t>();
      if (shift < 64) value |= std::uint64_t{byte & 0x7fU} << shift;
      if ((byte & 0x80U) == 0) return value;
    }
  }
  std::int64_t signed_number() {
    const std::uint8_t* first = at_;
    const std::uint64_t value = number();
    const auto bits = 7 * static_cast<unsigned>(at_ - first);
    if (failed_ || bits >= 64 || (at_[-1] & 0x40U) == 0) return static_cast<std::int64_t>(value);
    return static_cast<std::int64_t>(value | (~std::uint64_t{0} << bits));
  }
  std::string_view text() {
    const auto* first = reinterpret_cast<const char*>(at_);
    std::size_t length = 0;
    while (fixed<char>() != '\0') ++length;
    return {first, failed_ ? 0 : length};
  }
  bool skip(std::uint64_t size) {
    if (failed_ || size > static_cast<std::uint64_t>(end_ - at_)) failed_ = true;
    if (!failed_) at_ += size;
    return !failed_;
  }
  // A pointer as DW_EH_PE_ says.
  void skip_pointer(std::uint8_t encoding) {
    switch (encoding & 0x0fU) {
      case 0x00:
      case 0x04:
      case 0x0c:
        skip(8);
        break;
      case 0x02:
      case 0x0a:
        skip(2);
        break;
      case 0x03:
      case 0x0b:
        skip(4);
        break;
      default:
        fail();
    }
  }

 private:
  const std::uint8_t* at_ = nullptr;
  const std::uint8_t* end_ = nullptr;
  bool failed_ = false;
};

Reader record_at(const std::uint8_t* start) {
  std::uint32_t length = 0;
  std::memcpy(&length, start, sizeof length);
  Reader record(start + sizeof length, start + sizeof length + length);
  if (length == 0 || length == 0xffffffff) record.fail();
  return record;
}

// What the tables of many functions have in common.
struct Common {
  std::uint64_t code_unit = 1;
  std::int64_t data_unit = 1;
  std::uint8_t pointers = 0;
  bool has_extra = false;
  Reader instructions;
};

// False: there is something that is not known here, or it is the frame of a signal.
bool read_extra(Common& common, std::string_view letters, Reader& reader) {
  for (const char letter : letters) {
    if (letter == 'R') {
      common.pointers = reader.fixed<std::uint8_t>();
    } else if (letter == 'L') {
      reader.skip(1);
    } else if (letter == 'P') {
      reader.skip_pointer(reader.fixed<std::uint8_t>());
    } else {
      return false;
    }
  }
  return !reader.failed();
}

std::optional<Common> read_common(const std::uint8_t* start) {
  Reader reader = record_at(start);
  if (reader.fixed<std::uint32_t>() != 0) return std::nullopt;
  const auto version = reader.fixed<std::uint8_t>();
  std::string_view letters = reader.text();
  Common common;
  common.code_unit = reader.number();
  common.data_unit = reader.signed_number();
  const std::uint64_t column = version == 1 ? reader.fixed<std::uint8_t>() : reader.number();
  if (column != return_address) return std::nullopt;
  if (!letters.empty()) {
    if (letters[0] != 'z') return std::nullopt;
    common.has_extra = true;
    Reader extra = reader;
    const std::uint64_t size = extra.number();
    reader = extra;
    if (!read_extra(common, letters.substr(1), extra)) return std::nullopt;
    reader.skip(size);
  }
  if (reader.failed()) return std::nullopt;
  common.instructions = reader;
  return common;
}

// Where the caller's value of a register is.
struct Saved {
  enum Kind : std::uint8_t { nowhere, at_offset, undefined, elsewhere } kind = nowhere;
  std::int64_t offset = 0;
};

struct Row {
  std::uint64_t base = 0;
  std::int64_t offset = 0;
  bool is_expression = false;
  Saved frame_pointer_at;
  Saved return_address_at;

  Saved* saved(std::uint64_t of) {
    if (of == frame_pointer) return &frame_pointer_at;
    return of == return_address ? &return_address_at : nullptr;
  }
};

// Follows the instructions of a table up to the row for a place.
class Rows {
 public:
  Rows(const Common& common, std::uint64_t start, std::uint64_t place)
      : common_(common), location_(start), place_(place) {}

  // False: not understood.
  bool run(Reader reader) {
    while (!reader.is_at_end() && location_ <= place_) {
      if (!one(reader)) return false;
    }
    return !reader.failed();
  }
  void begin_function() { initial_ = row_; }
  const Row& row() const { return row_; }

 private:
  static constexpr unsigned most_remembered = 8;

  bool one(Reader& reader) {
    const auto code = reader.fixed<std::uint8_t>();
    const std::uint8_t low = code & 0x3fU;
    switch (code >> 6U) {
      case 1:
        return advance(low);
      case 2:
        return save(low, static_cast<std::int64_t>(reader.number()));
      case 3:
        return restore(low);
      default:
        return extended(low, reader);
    }
  }

  bool extended(std::uint8_t code, Reader& reader) {
    switch (code) {
      case 0x00:
        return true;
      case 0x02:
        return advance(reader.fixed<std::uint8_t>());
      case 0x03:
        return advance(reader.fixed<std::uint16_t>());
      case 0x04:
        return advance(reader.fixed<std::uint32_t>());
      case 0x0a:
        return remember();
      case 0x0b:
        return go_back();
      case 0x0e:
        return set_offset(static_cast<std::int64_t>(reader.number()));
      case 0x13:
        return set_offset(reader.signed_number() * common_.data_unit);
      case 0x0f:
        row_.is_expression = true;
        return reader.skip(reader.number());
      case 0x2e:
        reader.number();
        return true;
      default:
        return of_register(code, reader);
    }
  }

  bool of_register(std::uint8_t code, Reader& reader) {
    const std::uint64_t which = reader.number();
    switch (code) {
      case 0x05:
        return save(which, static_cast<std::int64_t>(reader.number()));
      case 0x06:
        return restore(which);
      case 0x07:
        return set(which, {Saved::undefined});
      case 0x08:
        return set(which, {Saved::nowhere});
      case 0x09:
      case 0x14:
        reader.number();
        return set(which, {Saved::elsewhere});
      case 0x15:
        reader.signed_number();
        return set(which, {Saved::elsewhere});
      case 0x10:
      case 0x16:
        reader.skip(reader.number());
        return set(which, {Saved::elsewhere});
      case 0x11:
        return save(which, reader.signed_number());
      case 0x0c:
        return set_base(which) && set_offset(static_cast<std::int64_t>(reader.number()));
      case 0x0d:
        return set_base(which);
      case 0x12:
        return set_base(which) && set_offset(reader.signed_number() * common_.data_unit);
      default:
        return false;
    }
  }

  bool advance(std::uint64_t units) {
    location_ += units * common_.code_unit;
    return true;
  }
  bool set(std::uint64_t which, Saved where) {
    if (Saved* saved = row_.saved(which)) *saved = where;
    return true;
  }
  bool save(std::uint64_t which, std::int64_t units) {
    return set(which, {Saved::at_offset, units * common_.data_unit});
  }
  bool restore(std::uint64_t which) {
    if (const Saved* saved = initial_.saved(which)) return set(which, *saved);
    return true;
  }
  bool set_base(std::uint64_t which) {
    row_.base = which;
    row_.is_expression = false;
    return true;
  }
  bool set_offset(std::int64_t offset) {
    row_.offset = offset;
    return true;
  }
  bool remember() {
    if (remembered_count_ == most_remembered) return false;
    remembered_[remembered_count_++] = row_;
    return true;
  }
  bool go_back() {
    if (remembered_count_ == 0) return false;
    row_ = remembered_[--remembered_count_];
    return true;
  }

  const Common& common_;
  std::uint64_t location_;
  std::uint64_t place_;
  Row row_;
  Row initial_;
  Row remembered_[most_remembered];
  unsigned remembered_count_ = 0;
};

std::optional<UnwindRule> rule_of(const Row& row, std::uint64_t function) {
  const Saved& caller = row.return_address_at;
  const Saved& base = row.frame_pointer_at;
  const bool is_outermost = caller.kind == Saved::undefined;
  const bool is_pushed = caller.kind == Saved::at_offset && caller.offset == return_address_offset;
  if (row.is_expression || base.kind == Saved::elsewhere) return std::nullopt;
  if (row.base != stack_pointer && row.base != frame_pointer) return std::nullopt;
  if (!is_outermost && !is_pushed) return std::nullopt;
  const bool is_saved = base.kind == Saved::at_offset;
  return UnwindRule{function, static_cast<std::int32_t>(row.offset),
                    is_saved ? static_cast<std::int32_t>(base.offset) : 0,
                    row.base == frame_pointer, is_outermost};
}

}  // namespace

std::optional<UnwindRule> find_unwind_rule(std::uint64_t place) {
  const std::uint64_t call = place - 1;
  dwarf_eh_bases bases{};
  const auto* start =
      static_cast<const std::uint8_t*>(_Unwind_Find_FDE(reinterpret_cast<void*>(call), &bases));
  if (start == nullptr) return std::nullopt;
  Reader table = record_at(start);
  const std::uint8_t* here = table.at();
  const auto back = table.fixed<std::int32_t>();
  const std::optional<Common> common = read_common(here - back);
  if (!common) return std::nullopt;
  table.skip_pointer(common->pointers);
  table.skip_pointer(common->pointers);
  if (common->has_extra) table.skip(table.number());
  const auto function = reinterpret_cast<std::uint64_t>(bases.function);
  Rows rows(*common, function, call);
  if (!rows.run(common->instructions)) return std::nullopt;
  rows.begin_function();
  if (!rows.run(table)) return std::nullopt;
  return rule_of(rows.row(), function);
}

}  // namespace ricercar::inline threads
