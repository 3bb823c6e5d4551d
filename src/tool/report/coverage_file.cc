#include "report/coverage_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "base/check.h"
#include "base/error.h"
#include "base/files.h"
#include "base/random.h"
#include "report/coverage_curve.h"

namespace ricercar::inline report {
namespace {

// The format, with a tab between a place and its calls, and `l` if the later one is local:
//
//   ricercar.hapset/1
//   program queue_test
//   context 5
//   executions 3
//   statements 2
//   0 queue.cc:41	main.cc:12
//   1 queue.cc:60
//   pairs 1                       later earlier l|r count first
//   1 0 r 7 1
//   added 3                       a number, or number*times
//   1 0*2
//   checksum 0123456789abcdef     of all bytes before this line
constexpr std::string_view magic = "ricercar.hapset/1";
constexpr std::string_view magic_family = "ricercar.hapset/";
constexpr std::size_t file_limit = std::size_t{1} << 30;
constexpr std::uint64_t execution_limit = std::uint64_t{1} << 50;
constexpr std::size_t entries_in_line = 16;

std::string checksum(std::string_view text) {
  std::uint64_t hash = 0;
  for (const unsigned char byte : text) hash = mix64(hash ^ byte);
  return fmt::format("{:016x}", hash);
}

// What separates lines and places does not occur in them.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char character : text) {
    const std::size_t special = std::string_view("\\\t\n").find(character);
    if (special == std::string_view::npos) {
      result += character;
    } else {
      result += '\\';
      result += "\\tn"[special];
    }
  }
  return result;
}

// False if it is not what `escaped` writes.
bool unescape(std::string_view text, std::string& result) {
  result.clear();
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      result += text[i];
      continue;
    }
    const std::size_t special =
        ++i < text.size() ? std::string_view("\\tn").find(text[i]) : std::string_view::npos;
    if (special == std::string_view::npos) return false;
    result += "\\\t\n"[special];
  }
  return true;
}

// --- Writing ---

void write_statements(std::string& text, const CoverageSets& sets) {
  text += fmt::format("statements {}\n", sets.statements.size());
  for (std::size_t i = 0; i < sets.statements.size(); ++i) {
    text += fmt::format("{} {}", i, escaped(sets.statements[i].place));
    for (const std::string& call : sets.statements[i].calls) text += "\t" + escaped(call);
    text += '\n';
  }
}

void write_pairs(std::string& text, const CoverageSets& sets) {
  text += fmt::format("pairs {}\n", sets.pairs.size());
  for (const CoveragePair& pair : sets.pairs) {
    RICERCAR_CHECK(pair.later < sets.statements.size());
    RICERCAR_CHECK(pair.earlier < sets.statements.size());
    fmt::format_to(std::back_inserter(text), "{} {} {} {} {}\n", pair.later, pair.earlier,
                   pair.later_is_local ? 'l' : 'r', pair.count, pair.first_execution);
  }
}

void write_curve(std::string& text, std::vector<std::uint64_t> added) {
  sum_neighbours(added, stored_curve_limit);
  text += fmt::format("added {}\n", added.size());
  std::size_t entries = 0;
  for (std::size_t i = 0; i < added.size();) {
    std::size_t end = i;
    while (end < added.size() && added[end] == added[i]) ++end;
    text += std::to_string(added[i]);
    if (end - i > 1) text += fmt::format("*{}", end - i);
    i = end;
    text += ++entries % entries_in_line == 0 || i == added.size() ? '\n' : ' ';
  }
}

// --- Reading ---

class Reader {
 public:
  Reader(const std::string& path, std::string_view text) : path_(path), text_(text) {}

  CoverageSets read() {
    read_magic();
    CoverageSets sets;
    sets.program = text_of(value("program"));
    sets.context = small(number(value("context")));
    sets.executions = number(value("executions"));
    if (sets.executions > execution_limit) damaged();
    read_statements(sets);
    read_pairs(sets);
    read_curve(sets);
    read_checksum();
    return sets;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw UsageError(
        fmt::format("'{}' {}: bring back a copy, or remove it to begin anew", path_, what));
  }
  [[noreturn]] void damaged() const { fail(fmt::format("is damaged at line {}", line_number_)); }

  [[noreturn]] void foreign(std::string_view first_line) const {
    if (first_line.starts_with(magic_family)) {
      throw UsageError(fmt::format(
          "'{}' was written by another version of Ricercar ({}; this version reads {}): learn the "
          "sets again, in another file",
          path_, first_line, magic));
    }
    throw UsageError(
        fmt::format("'{}' is not a file of learned sets; `ricercar run --strategy hapset --hapset "
                    "FILE ./program` writes one",
                    path_));
  }

  void read_magic() {
    if (text_.empty()) fail("is empty, not a file of learned sets");
    const std::string_view first_line = text_.substr(0, text_.find('\n'));
    // A file that ends within the first line is shorter than what it starts with.
    const bool is_cut = first_line.size() == text_.size() && magic.starts_with(first_line);
    if (!is_cut && first_line != magic) foreign(first_line);
    line();
  }

  std::string_view line() {
    ++line_number_;
    const std::size_t end = text_.find('\n', position_);
    if (end == std::string_view::npos) {
      fail(fmt::format("is not complete: it ends at line {}", line_number_));
    }
    const std::string_view result = text_.substr(position_, end - position_);
    position_ = end + 1;
    return result;
  }

  // Of a line `name value`.
  std::string_view value(std::string_view name) {
    const std::string_view words = line();
    const bool fits = words.starts_with(name) && words.substr(name.size()).starts_with(' ');
    if (!fits) damaged();
    return words.substr(name.size() + 1);
  }

  std::string text_of(std::string_view words) const {
    std::string result;
    if (!unescape(words, result)) damaged();
    return result;
  }

  // Takes the number that `words` begin with.
  std::uint64_t take_number(std::string_view& words) const {
    std::uint64_t result = 0;
    const auto [end, problem] = std::from_chars(words.data(), words.data() + words.size(), result);
    if (problem != std::errc()) damaged();
    words.remove_prefix(static_cast<std::size_t>(end - words.data()));
    return result;
  }
  void take(std::string_view& words, char wanted) const {
    if (!words.starts_with(wanted)) damaged();
    words.remove_prefix(1);
  }
  std::uint64_t number(std::string_view words) const {
    const std::uint64_t result = take_number(words);
    if (!words.empty()) damaged();
    return result;
  }
  std::uint32_t small(std::uint64_t number) const {
    if (number > UINT32_MAX) damaged();
    return static_cast<std::uint32_t>(number);
  }
  // Of lines that follow: not more than there is text.
  std::size_t count(std::string_view name) {
    const std::uint64_t result = number(value(name));
    if (result > text_.size()) damaged();
    return result;
  }

  void read_statements(CoverageSets& sets) {
    sets.statements.resize(count("statements"));
    for (std::size_t i = 0; i < sets.statements.size(); ++i) {
      std::string_view words = line();
      if (take_number(words) != i) damaged();
      take(words, ' ');
      read_statement(words, sets.statements[i]);
    }
  }

  void read_statement(std::string_view words, CoverageStatement& statement) const {
    const std::size_t end = words.find('\t');
    statement.place = text_of(words.substr(0, end));
    for (std::size_t tab = end; tab != std::string_view::npos;) {
      const std::size_t next = words.find('\t', tab + 1);
      statement.calls.push_back(text_of(words.substr(tab + 1, next - tab - 1)));
      tab = next;
    }
  }

  void read_pairs(CoverageSets& sets) {
    sets.pairs.resize(count("pairs"));
    for (CoveragePair& pair : sets.pairs) {
      read_pair(line(), pair);
      const std::size_t statements = sets.statements.size();
      if (pair.later >= statements || pair.earlier >= statements) damaged();
    }
  }

  void read_pair(std::string_view words, CoveragePair& pair) const {
    pair.later = small(take_number(words));
    take(words, ' ');
    pair.earlier = small(take_number(words));
    take(words, ' ');
    pair.later_is_local = words.starts_with('l');
    take(words, pair.later_is_local ? 'l' : 'r');
    take(words, ' ');
    pair.count = take_number(words);
    take(words, ' ');
    pair.first_execution = number(words);
  }

  void read_curve(CoverageSets& sets) {
    const std::uint64_t entries = number(value("added"));
    if (entries > stored_curve_limit) damaged();
    while (sets.added.size() < entries) {
      std::string_view words = line();
      while (true) {
        const std::uint64_t added = take_number(words);
        const std::uint64_t times = take_times(words);
        if (times > entries - sets.added.size()) damaged();
        sets.added.insert(sets.added.end(), times, added);
        if (words.empty()) break;
        take(words, ' ');
      }
    }
  }

  std::uint64_t take_times(std::string_view& words) const {
    if (!words.starts_with('*')) return 1;
    take(words, '*');
    return take_number(words);
  }

  void read_checksum() {
    const std::size_t start = position_;
    if (value("checksum") != checksum(text_.substr(0, start))) {
      fail("is damaged (its content does not fit its check sum)");
    }
    ++line_number_;
    if (position_ != text_.size()) damaged();
  }

  const std::string& path_;
  std::string_view text_;
  std::size_t position_ = 0;
  std::size_t line_number_ = 0;
};

}  // namespace

void write_coverage(const std::string& path, const CoverageSets& sets) {
  std::string text = fmt::format("{}\nprogram {}\ncontext {}\nexecutions {}\n", magic,
                                 escaped(sets.program), sets.context, sets.executions);
  write_statements(text, sets);
  write_pairs(text, sets);
  write_curve(text, sets.added);
  text += fmt::format("checksum {}\n", checksum(text));
  write_file(path, text);
}

CoverageSets read_coverage(const std::string& path) {
  return Reader(path, read_file(path, file_limit)).read();
}

}  // namespace ricercar::inline report
