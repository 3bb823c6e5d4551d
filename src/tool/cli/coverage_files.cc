#include "cli/coverage_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/error.h"
#include "base/files.h"
#include "report/coverage_file.h"
#include "report/coverage_html.h"
#include "report/coverage_json.h"
#include "report/coverage_svg.h"
#include "report/coverage_text.h"
#include "report/source_files.h"
#include "report/style.h"
#include "strategy/registry.h"

namespace ricercar::inline cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* working_folder = ".";
constexpr std::size_t named_files_limit = 5;

std::string text_report(const CoverageSets& sets) { return coverage_text(sets, {}); }

std::string html_report(const CoverageSets& sets) {
  SourceFiles sources(working_folder);
  return coverage_html(sets, sources);
}

struct Format {
  std::string_view ending;
  std::string (*write)(const CoverageSets&);
};

constexpr Format formats[] = {{".txt", text_report},
                              {".json", coverage_json},
                              {".html", html_report},
                              {".svg", coverage_svg}};

const Format& format_of(const std::string& path) {
  for (const Format& format : formats) {
    if (path.ends_with(format.ending)) return format;
  }
  throw UsageError(fmt::format(
      "the ending of '{}' does not say what to write: .html, .json, .svg or .txt", path));
}

void require_folder(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  if (!folder.empty() && !fs::is_directory(folder)) {
    throw UsageError(
        fmt::format("cannot write '{}': there is no folder '{}'", path, folder.string()));
  }
}

template <typename Write>
bool try_to_write(Write write) {
  try {
    write();
    return true;
  } catch (const UsageError& error) {
    fmt::print(stderr, "ricercar: {}\n", error.what());
    return false;
  }
}

}  // namespace

void check_coverage_files(const CoverageFiles& files, const std::string& strategy) {
  if (!files.are_asked_for()) return;
  if (!calls_of_statements(strategy)) {
    throw UsageError(fmt::format(
        "{} needs a strategy that learns pairs: hapset, or bestfirst with priority=hapset",
        files.sets.empty() ? "--coverage" : "--hapset"));
  }
  if (!files.report.empty()) format_of(files.report);
  for (const std::string& path : {files.sets, files.report}) require_folder(path);
}

std::optional<CoverageSets> load_sets(const std::string& path, const std::string& program) {
  if (path.empty() || !fs::exists(path)) return std::nullopt;
  CoverageSets sets = read_coverage(path);
  const std::string name = fs::path(program).filename();
  if (sets.program == name) return sets;
  throw UsageError(fmt::format("'{}' is about '{}', not '{}': name another file with --hapset",
                               path, sets.program, name));
}

bool save_coverage(const CoverageFiles& files, const CoverageSets& sets) {
  const bool sets_are_saved =
      files.sets.empty() || try_to_write([&] { write_coverage(files.sets, sets); });
  const bool report_is_saved = files.report.empty() || try_to_write([&] {
                                 write_file(files.report, coverage_report(sets, files.report));
                               });
  return sets_are_saved && report_is_saved;
}

std::string coverage_report(const CoverageSets& sets, const std::string& path) {
  return format_of(path).write(sets);
}

std::string missing_sources(const CoverageSets& sets) {
  SourceFiles sources(working_folder);
  std::set<std::string> files;
  for (const CoverageStatement& statement : sets.statements) {
    if (const auto place = file_place(statement.place)) files.insert(place->file);
  }
  std::vector<std::string> missing;
  for (const std::string& file : files) {
    if (sources.misses(file)) missing.push_back(harmless(file));
  }
  if (missing.empty()) return {};
  const std::size_t count = missing.size();
  if (count > named_files_limit) {
    missing.resize(named_files_limit);
    missing.push_back(fmt::format("{} more", count - named_files_limit));
  }
  return fmt::format(
      "{} not below this folder: the program was changed or you are in another folder; their "
      "pairs are kept",
      enumerated(missing) + (count == 1 ? " is" : " are"));
}

}  // namespace ricercar::inline cli
