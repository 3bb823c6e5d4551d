#include "search/check_call.h"

#include <limits.h>
#include <unistd.h>

#include <cctype>
#include <map>
#include <string_view>
#include <utility>

#include "base/files.h"
#include "model/outcome_kinds.h"
#include "model/shared_array.h"
#include "search/minimise_call.h"
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

std::vector<CheckBug> bugs_of(const Control& control, const CheckCall& check) {
  std::vector<CheckBug> bugs;
  for (const FoundBug* bug = control.first_bug; bug != nullptr; bug = bug->next) {
    bugs.push_back({schedule_of_check(*bug, control.request, check), {}});
  }
  return bugs;
}

void save(CheckBug& bug, const std::string& path) {
  make_folder(path.substr(0, path.rfind('/')));
  if (bug.shorter) {
    const std::string original = path.substr(0, path.rfind(".json")) + "-original.json";
    write_schedule(original, bug.found);
    bug.shorter->minimised->original = original.substr(original.rfind('/') + 1);
  }
  write_schedule(path, bug.best());
}

namespace {

// The process goes on after the search: a crash leaves one that should not.
bool leaves_process_whole(const Schedule& bug) {
  const std::optional<OutcomeKind> kind = kind_by_name(bug.kind);
  return kind && kind != OutcomeKind::crash && kind != OutcomeKind::use_after_free;
}

}  // namespace

bool ask_for_shorter(const Schedule& found, std::uint64_t budget, Request& request) {
  if (!why_not_minimised(found).empty() || !leaves_process_whole(found)) return false;
  request = request_to_minimise(found, budget, usual_minimise_seconds);
  request.check_number = 0;
  request.assign(found, [](const auto& list) { return to_shared(list); });
  return true;
}

std::optional<Schedule> shorter_of(const Control& control, const Schedule& found,
                                   const CheckCall& check) {
  if (control.first_bug == nullptr) return std::nullopt;
  ShortestFound shortest{schedule_of_check(*control.first_bug, control.request, check),
                         control.size_before, control.size_now, control.executions};
  if (!shortest.is_shorter()) return std::nullopt;
  return shorter_schedule(found, std::move(shortest));
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
