#include "cli/suppressions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/files.h"
#include "base/nearest.h"
#include "model/outcome_kinds.h"

namespace ricercar::inline cli {
namespace {

constexpr std::size_t file_limit = std::size_t{1} << 20;

struct Name {
  std::string_view name;
  std::uint32_t kinds;
  Suppression::Frames frames;
};

constexpr std::uint32_t every_kind = ~kind_bit(OutcomeKind::ok);

// ThreadSanitizer's names. It reports calls that a signal handler must not make; Ricercar does not.
constexpr std::array names = {
    Name{"race", kind_bit(OutcomeKind::data_race), Suppression::all},
    Name{"race_top", kind_bit(OutcomeKind::data_race), Suppression::innermost},
    Name{"deadlock", kind_bit(OutcomeKind::deadlock), Suppression::all},
    Name{"thread", kind_bit(OutcomeKind::leak), Suppression::all},
    Name{"mutex", kind_bit(OutcomeKind::lock_misuse), Suppression::all},
    Name{"signal", 0, Suppression::all},
    Name{"called_from_lib", every_kind, Suppression::innermost_library},
};

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin);
}

std::string known_names() {
  std::string text;
  for (const Name& each : names) text += fmt::format("{}:, ", each.name);
  return text + "and the kinds of bugs (" + kind_names() + ")";
}

[[noreturn]] void reject(const std::string& path, std::uint32_t line, const std::string& why) {
  throw UsageError(fmt::format("{}:{}: {}", path, line, why));
}

Name name_of(const std::string& path, std::uint32_t line, std::string_view word) {
  const auto found =
      std::find_if(names.begin(), names.end(), [&](const Name& each) { return each.name == word; });
  if (found != names.end()) return *found;
  if (const std::optional<OutcomeKind> kind = kind_by_name(word)) {
    return {word, kind_bit(*kind), Suppression::all};
  }
  std::vector<std::string_view> candidates;
  for (const Name& each : names) candidates.push_back(each.name);
  reject(path, line,
         fmt::format("there is no suppression '{}:'{}; there are {}", word,
                     did_you_mean(word, candidates), known_names()));
}

Suppression suppression_of(const std::string& path, std::uint32_t line, std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) {
    reject(path, line,
           fmt::format("'{}' is no suppression: KIND:PATTERN is wanted, as race:name", text));
  }
  const Name name = name_of(path, line, text.substr(0, colon));
  const std::string_view pattern = trimmed(text.substr(colon + 1));
  if (pattern.empty()) {
    reject(path, line, fmt::format("'{}' has no pattern; * stands for everything", text));
  }
  return {std::string(text), line, name.kinds, name.frames, std::string(pattern)};
}

// The whole text; a star stands for any number of characters.
bool fits_whole(std::string_view pattern, std::string_view text) {
  std::size_t at = 0;
  std::size_t star = std::string_view::npos;
  std::size_t retry = 0;
  std::size_t i = 0;
  while (i < text.size()) {
    if (at < pattern.size() && pattern[at] == '*') {
      star = at++;
      retry = i;
    } else if (at < pattern.size() && pattern[at] == text[i]) {
      ++at;
      ++i;
    } else if (star != std::string_view::npos) {
      at = star + 1;
      i = ++retry;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', at) == std::string_view::npos;
}

bool fits_frame(const Suppression& suppression, const Frame& frame) {
  if (suppression.frames == Suppression::innermost_library) {
    return fits(suppression.pattern, frame.module);
  }
  return fits(suppression.pattern, frame.function) || fits(suppression.pattern, frame.file) ||
         fits(suppression.pattern, frame.module);
}

bool fits_stack(const Suppression& suppression, const std::vector<Frame>& stack) {
  const std::size_t count = suppression.frames == Suppression::all ? stack.size() : 1;
  return std::any_of(stack.begin(),
                     stack.begin() + static_cast<long>(std::min(count, stack.size())),
                     [&](const Frame& frame) { return fits_frame(suppression, frame); });
}

}  // namespace

bool fits(std::string_view pattern, std::string_view text) {
  if (text.empty()) return false;
  std::string whole(pattern);
  if (whole.starts_with('^')) {
    whole.erase(0, 1);
  } else {
    whole.insert(0, "*");
  }
  if (whole.ends_with('$')) {
    whole.pop_back();
  } else {
    whole += '*';
  }
  return fits_whole(whole, text);
}

Suppressions Suppressions::parse(const std::string& path, const std::string& content) {
  Suppressions result;
  std::uint32_t line = 0;
  for (std::size_t begin = 0; begin < content.size();) {
    const std::size_t end = std::min(content.find('\n', begin), content.size());
    const std::string_view text = trimmed(std::string_view(content).substr(begin, end - begin));
    ++line;
    begin = end + 1;
    if (text.empty() || text.starts_with('#')) continue;
    result.all_.push_back(suppression_of(path, line, text));
  }
  return result;
}

Suppressions Suppressions::read(const std::string& path) {
  return parse(path, read_file(path, file_limit));
}

std::uint32_t Suppressions::kinds() const {
  std::uint32_t kinds = 0;
  for (const Suppression& each : all_) kinds |= each.kinds;
  return kinds;
}

std::uint32_t Suppressions::find(OutcomeKind kind,
                                 const std::vector<std::vector<Frame>>& stacks) const {
  for (std::size_t i = 0; i < all_.size(); ++i) {
    if ((all_[i].kinds & kind_bit(kind)) == 0) continue;
    if (std::any_of(stacks.begin(), stacks.end(),
                    [&](const std::vector<Frame>& stack) { return fits_stack(all_[i], stack); })) {
      return static_cast<std::uint32_t>(i + 1);
    }
  }
  return 0;
}

}  // namespace ricercar::inline cli
