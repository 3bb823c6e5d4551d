#include "model/outcome_kinds.h"

#include <iterator>
#include <vector>

#include "base/error.h"
#include "base/nearest.h"

namespace ricercar::inline model {
namespace {

constexpr std::size_t kind_count = std::size(outcome_kinds);

std::vector<std::string_view> names() {
  std::vector<std::string_view> result;
  for (std::size_t i = 1; i < kind_count; ++i) result.push_back(outcome_kinds[i].name);
  return result;
}

std::uint32_t bit_of(const std::string& option, const std::string& name) {
  if (const std::optional<OutcomeKind> kind = kind_by_name(name)) return kind_bit(*kind);
  throw UsageError(option + ": there is no kind of bug '" + name + "'" +
                   did_you_mean(name, names()) + "; there are " + kind_names());
}

std::uint32_t bits_of(const std::string& option, const std::string& list) {
  std::uint32_t bits = 0;
  for (std::size_t start = 0; start <= list.size();) {
    const std::size_t end = std::min(list.find(',', start), list.size());
    bits |= bit_of(option, list.substr(start, end - start));
    start = end + 1;
  }
  return bits;
}

}  // namespace

std::string kind_names() {
  std::string text;
  for (const std::string_view name : names()) {
    if (!text.empty()) text += ", ";
    text += name;
  }
  return text;
}

std::optional<OutcomeKind> kind_by_name(std::string_view name) {
  for (std::size_t i = 1; i < kind_count; ++i) {
    if (outcome_kinds[i].name == name) return static_cast<OutcomeKind>(i);
  }
  return std::nullopt;
}

std::uint32_t ignored_kinds(const std::string& fail_on, const std::string& ignored) {
  constexpr std::uint32_t all = (std::uint32_t{1} << kind_count) - 1 - kind_bit(OutcomeKind::ok);
  std::uint32_t bits = fail_on.empty() ? 0 : all & ~bits_of("--fail-on", fail_on);
  if (!ignored.empty()) bits |= bits_of("--ignore", ignored);
  if (bits == all) {
    throw UsageError(
        "--fail-on and --ignore leave no kind of bug that could fail: leave one of them out");
  }
  return bits;
}

}  // namespace ricercar::inline model
