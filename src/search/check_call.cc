#include "search/check_call.h"

#include <limits.h>
#include <unistd.h>

#include <cctype>
#include <map>
#include <string_view>
#include <utility>

#include "model/outcome_kinds.h"
#include "search/process_facts.h"
#include "search/schedule_of_bug.h"

namespace ricercar::inline search {
namespace {

constexpr std::size_t most_letters = 120;  // a file's name has room for 255

std::string current_test;
std::uint32_t checks_so_far = 0;
std::map<std::string, std::uint32_t>& checks_of_tests() {
  static auto& counts = *new std::map<std::string, std::uint32_t>;
  return counts;
}

// FNV-1a.
std::string short_hash(std::string_view text) {
  std::uint32_t hash = 2166136261U;
  for (const char letter : text) hash = (hash ^ static_cast<unsigned char>(letter)) * 16777619U;
  std::string digits;
  for (int shift = 28; shift >= 0; shift -= 4) digits += "0123456789abcdef"[(hash >> shift) & 15];
  return digits;
}

// Names of tests are texts of any kind; two that differ must not become one.
std::string as_file_name(const std::string& name) {
  std::string result;
  for (const char letter : name.substr(0, most_letters)) {
    const bool is_plain = std::isalnum(static_cast<unsigned char>(letter)) != 0 ||
                          std::string_view("._-+").find(letter) != std::string_view::npos;
    result += is_plain ? letter : '_';
  }
  return result == name ? result : result + "-" + short_hash(name);
}

std::string label_of(const CheckCall& check) {
  if (check.test.empty()) return "check-" + std::to_string(check.number);
  const std::string again =
      check.number_in_test > 1 ? "-" + std::to_string(check.number_in_test) : "";
  return as_file_name(check.test) + again;
}

std::string absolute(const std::string& path) {
  char folder[PATH_MAX];
  if (path.starts_with('/') || getcwd(folder, sizeof folder) == nullptr) return path;
  return std::string(folder) + "/" + path;
}

}  // namespace

void begin_test(std::string name) { current_test = std::move(name); }

CheckCall next_check(const std::string& test) {
  CheckCall check;
  check.test = test.empty() ? current_test : test;
  check.number = ++checks_so_far;
  check.number_in_test = ++checks_of_tests()[check.test];
  return check;
}

Schedule schedule_of_check(const FoundBug& bug, const Request& request, const CheckCall& check) {
  Schedule schedule = schedule_of_bug(bug, request);
  schedule.program = own_path();
  schedule.arguments = own_arguments();
  schedule.build_id = own_build_id();
  schedule.check_number = check.number;
  return schedule;
}

std::string schedule_path(const std::string& folder, const CheckCall& check, std::uint64_t bug) {
  const std::string program = own_path();
  return absolute(folder.empty() ? "ricercar-out" : folder) + "/" +
         as_file_name(program.substr(program.rfind('/') + 1)) + "." + label_of(check) + "-bug-" +
         std::to_string(bug) + ".json";
}

std::string coverage_text(const Control& control) {
  std::map<std::string_view, std::uint64_t> counts;
  for (const IgnoredFinding* each = control.first_ignored; each != nullptr; each = each->next) {
    ++counts[info(each->outcome.kind).name];
  }
  std::string list;
  for (const auto& [kind, count] : counts) {
    list += (list.empty() ? "" : ", ") + std::to_string(count) + " " + std::string(kind);
  }
  return control.coverage + (list.empty() ? "" : "; ignored: " + list);
}

}  // namespace ricercar::inline search
