// Suppressions: findings that are known and are not to fail a search, by the names of the
// functions, files and libraries on their stacks. The file has the format of ThreadSanitizer's, one
// in a line:
//
//   # a comment
//   race:count_calls            a data race with a frame whose function or file has this in its
//   name race_top:^fast_path$        only the innermost frames count; ^ and $ are the ends, * is
//   anything called_from_lib:libfoo.so   whose innermost frame is in this library deadlock: thread:
//   mutex:    deadlocks, leaked threads, misused locks; any other kind by its name
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/outcome.h"
#include "report/symbols.h"

namespace ricercar::inline cli {

struct Suppression {
  enum Frames : std::uint8_t { all, innermost, innermost_library };

  std::string text;         // as it is in the file
  std::uint32_t line = 0;   // from 1 on
  std::uint32_t kinds = 0;  // of bugs, as bits; 0: nothing that Ricercar finds
  Frames frames = all;
  std::string pattern;
};

class Suppressions {
 public:
  Suppressions() = default;
  // Throws UsageError, with the line, for what is no suppression.
  static Suppressions read(const std::string& path);
  static Suppressions parse(const std::string& path, const std::string& content);

  const std::vector<Suppression>& all() const { return all_; }
  // Of bugs that some line is about, as bits.
  std::uint32_t kinds() const;
  // The first one that fits, counted from 1; 0: none does.
  std::uint32_t find(OutcomeKind kind, const std::vector<std::vector<Frame>>& stacks) const;

 private:
  std::vector<Suppression> all_;
};

// The pattern fits some part of the text, or all of it between ^ and $.
bool fits(std::string_view pattern, std::string_view text);

}  // namespace ricercar::inline cli
