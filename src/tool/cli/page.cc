#include "cli/page.h"

#include <fmt/format.h>
#include <unistd.h>

#include <memory>

#include "base/error.h"
#include "base/files.h"
#include "cli/bug_report.h"
#include "cli/replay_program.h"
#include "report/build.h"
#include "report/reporters.h"

namespace ricercar::inline cli {
namespace {

Report detailed_report(const std::string& file, bool full) {
  const Schedule schedule = read_schedule(file);
  const Program program = program_of(schedule, "");
  const ProgramInput input(STDIN_FILENO);
  const FinishedReplay replay(program, schedule, input, {});
  return report_of(replay, schedule, file, full, true);
}

// The page is worth having without it. Null, too: it does not end as it should.
std::shared_ptr<const Report> companion(const std::string& file, OutcomeKind outcome) {
  if (::access(file.c_str(), R_OK) != 0) return nullptr;
  try {
    auto report = std::make_shared<Report>(detailed_report(file, false));
    if (report->outcome == outcome) return report;
  } catch (const UsageError& error) {
    fmt::print(stderr, "ricercar: '{}' is left out: {}\n", file, error.what());
  }
  return nullptr;
}

}  // namespace

std::string beside(const std::string& schedule, const std::string& ending) {
  const std::string own = ".json";
  const bool has_own = schedule.ends_with(own);
  return (has_own ? schedule.substr(0, schedule.size() - own.size()) : schedule) + ending;
}

std::string page_in(const std::string& folder, const std::string& schedule) {
  return folder + "/" + beside(schedule.substr(schedule.rfind('/') + 1), ".html");
}

Report report_for_page(const std::string& schedule, bool full) {
  Report report = detailed_report(schedule, full);
  report.passing = companion(beside(schedule, "-passing.json"), OutcomeKind::ok);
  report.original = companion(beside(schedule, "-original.json"), report.outcome);
  add_sources(report);
  return report;
}

void write_page(const std::string& schedule, const std::string& page, bool full,
                std::FILE* stream) {
  write_file(page, html_report(report_for_page(schedule, full), {}));
  if (stream != nullptr) fmt::print(stream, "The page is {}\n", page);
}

}  // namespace ricercar::inline cli
