#include "threads/format_arguments.h"

#include <wchar.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "threads/buffers.h"

namespace ricercar::inline threads {
namespace {

constexpr std::size_t no_limit = ~std::size_t{0};

// One conversion: what stands between the % and its letter.
struct Conversion {
  char letter = 0;              // 0: the end of the format, or something that is not understood
  bool suppressed = false;      // scanf: read, but not kept
  bool width_is_given = false;  // by an argument
  bool precision_is_given = false;
  bool allocates = false;  // scanf: %ms
  std::size_t width = 0;
  std::size_t precision = no_limit;
  int size = 4;  // bytes of an integer
  bool is_long = false;
  bool is_long_double = false;
};

// A set of letters. Most calls of printf are short, and the C library's functions are hooks, too.
struct Letters {
  std::uint64_t bits[2] = {};

  explicit constexpr Letters(const char* letters) {
    for (; *letters != 0; ++letters) bits[*letters / 64] |= std::uint64_t{1} << (*letters % 64);
  }
  constexpr bool contain(char letter) const {
    const auto number = static_cast<unsigned char>(letter);
    return number < 128 && ((bits[number / 64] >> (number % 64)) & 1) != 0;
  }
};

constexpr Letters flags("-+ #0'I");
constexpr Letters lengths("hlqLjztm");
constexpr Letters conversions("dioxXuncsegfaEGFAp[");

class FormatReader {
 public:
  explicit FormatReader(const char* format) : next_(format) {}

  // The next conversion; its letter is 0 if there is none.
  Conversion next() {
    Conversion found;
    if (!find_percent()) return found;
    read_flags(found);
    found.width_is_given = read_number(found.width);
    if (*next_ == '$') return found;  // numbered arguments are in no order
    if (*next_ == '.') {
      ++next_;
      found.precision = 0;
      found.precision_is_given = read_number(found.precision);
    }
    read_length(found);
    found.letter = *next_;
    if (*next_ != 0) ++next_;
    return found;
  }
  // The set of a %[...], of which the bracket has been read.
  void skip_set() {
    if (*next_ == '^') ++next_;
    if (*next_ == ']') ++next_;
    while (*next_ != 0 && *next_ != ']') ++next_;
    if (*next_ != 0) ++next_;
  }

 private:
  bool find_percent() {
    for (; *next_ != 0; ++next_) {
      if (*next_ != '%') continue;
      if (next_[1] != '%') {
        ++next_;
        return true;
      }
      ++next_;
    }
    return false;
  }
  void read_flags(Conversion& found) {
    for (; *next_ != 0 && flags.contain(*next_); ++next_) {
    }
    if (*next_ == '*') found.suppressed = true;
  }
  // True: it is an argument.
  bool read_number(std::size_t& number) {
    if (*next_ == '*') {
      ++next_;
      return true;
    }
    for (; *next_ >= '0' && *next_ <= '9'; ++next_) {
      number = 10 * number + static_cast<std::size_t>(*next_ - '0');
    }
    return false;
  }
  void read_length(Conversion& found) {
    for (; *next_ != 0 && lengths.contain(*next_); ++next_) {
      if (*next_ == 'm') {
        if (next_[1] != 's' && next_[1] != '[' && next_[1] != 'c' && next_[1] != 'l') return;
        found.allocates = true;
      } else if (*next_ == 'h') {
        found.size /= 2;
      } else {
        found.size = 8;
        found.is_long = found.is_long || *next_ == 'l';
        found.is_long_double = *next_ == 'L';
      }
    }
  }

  const char* next_;
};

// Takes the arguments of one conversion of printf. False: what follows cannot be told.
bool take_printed(const Conversion& found, va_list& list, std::uint64_t site) {
  std::size_t limit = found.precision;
  if (found.width_is_given) va_arg(list, int);
  if (found.precision_is_given) {
    const int given = va_arg(list, int);
    limit = given < 0 ? no_limit : static_cast<std::size_t>(given);
  }
  switch (found.letter) {
    case 'd':
    case 'i':
    case 'o':
    case 'u':
    case 'x':
    case 'X':
    case 'c':
    case 'C':
    case 'p':
      va_arg(list, long);
      return true;
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
      if (found.is_long_double) {
        va_arg(list, long double);
      } else {
        va_arg(list, double);
      }
      return true;
    case 's':
      if (found.is_long) {
        va_arg(list, wchar_t*);
      } else {
        program_reads_text(va_arg(list, const char*), limit, site);
      }
      return true;
    case 'S':
      va_arg(list, wchar_t*);
      return true;
    case 'n':
      program_writes(va_arg(list, void*), static_cast<std::size_t>(found.size), site);
      return true;
    case 'm':
      return true;  // errno
    default:
      return false;
  }
}

std::size_t scanned_size(const Conversion& found, const void* target) {
  switch (found.letter) {
    case 's':
    case '[':
      return found.is_long ? 0 : std::strlen(static_cast<const char*>(target)) + 1;
    case 'c':
      return found.width == 0 ? 1 : found.width;
    case 'e':
    case 'f':
    case 'g':
    case 'a':
      return found.is_long_double ? sizeof(long double) : static_cast<std::size_t>(found.size);
    case 'p':
      return sizeof(void*);
    default:
      return static_cast<std::size_t>(found.size);
  }
}

bool is_scanned(char letter) { return letter != 0 && conversions.contain(letter); }

}  // namespace

void program_reads_format(const char* format, va_list list, std::uint64_t site) {
  program_reads_text(format, site);
  va_list copy;
  va_copy(copy, list);
  FormatReader reader(format);
  for (Conversion found = reader.next(); found.letter != 0; found = reader.next()) {
    if (!take_printed(found, copy, site)) break;
  }
  va_end(copy);
}

void program_writes_scanned(const char* format, va_list list, int assigned, std::uint64_t site) {
  va_list copy;
  va_copy(copy, list);
  FormatReader reader(format);
  while (assigned > 0) {
    const Conversion found = reader.next();
    if (found.letter == '[') reader.skip_set();
    if (!is_scanned(found.letter)) break;
    if (found.suppressed) continue;
    void* target = va_arg(copy, void*);
    program_writes(target, found.allocates ? sizeof(void*) : scanned_size(found, target), site);
    if (found.letter != 'n') --assigned;
  }
  va_end(copy);
}

}  // namespace ricercar::inline threads
