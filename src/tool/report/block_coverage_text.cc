#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/block_coverage.h"
#include "report/json.h"
#include "report/style.h"

namespace ricercar::inline report {
namespace {

using Json = nlohmann::ordered_json;

std::string nodes_text(const BlockCoverage& coverage) {
  const std::string all = "all";
  std::size_t width = all.size();
  for (const CodeNode& node : coverage.nodes) width = std::max(width, width_of(node.name));
  std::string text;
  for (std::uint32_t i = 0; i < coverage.nodes.size(); ++i) {
    const CodeNode& node = coverage.nodes[i];
    text += fmt::format("  {}  {}\n", padded(node.name, width),
                        node.modules.empty() ? "was compiled without --coverage"
                                             : words_of(coverage.figures_of(i)));
  }
  return text + fmt::format("  {}  {}\n", padded(all, width), words_of(coverage.figures()));
}

std::string files_text(const BlockCoverage& coverage) {
  std::string text = "\nFiles\n";
  for (const auto& [file, figures] : coverage.figures_of_files()) {
    text += fmt::format("  {:>6} of {:>6}  {}\n", grouped(figures.covered), grouped(figures.all),
                        file.empty() ? "(the system's headers, and code without a line)" : file);
  }
  return text;
}

// "3, 7-9" of the lines of which no block was covered; neighbours are those with nothing covered
// in between.
std::string uncovered_lines(const LinesOfFile& lines) {
  std::string text;
  unsigned first = 0, last = 0;
  const auto end_range = [&] {
    if (first == 0) return;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", first);
    if (last != first) text += fmt::format("-{}", last);
    first = 0;
  };
  for (const auto& [line, figures] : lines) {
    if (figures.is_covered()) {
      end_range();
      continue;
    }
    if (first == 0) first = line;
    last = line;
  }
  end_range();
  return text;
}

std::string uncovered_text(const BlockCoverage& coverage) {
  std::string text;
  for (const auto& [file, lines] : coverage.lines()) {
    const std::string missing = uncovered_lines(lines);
    if (!missing.empty()) text += wrapped(fmt::format("  {}: {}", file, missing), 100, 4) + "\n";
  }
  if (text.empty()) return "\nEvery line with a block was covered.\n";
  return "\nLines of which no block was covered\n" + text;
}

nlohmann::ordered_json json_of(const BlockFigures& figures) {
  return {{"blocks", figures.all}, {"covered", figures.covered}, {"times", figures.times}};
}

nlohmann::ordered_json json_of(const BlockCoverage& coverage, const Block& block) {
  nlohmann::ordered_json json;
  json["address"] = fmt::format("{:#x}", block.address);
  if (!block.frame.file.empty()) {
    json["file"] = block.frame.file;
    json["line"] = block.frame.line;
  }
  if (!block.frame.function.empty()) json["function"] = block.frame.function;
  json["times"] = block.all_times();
  json["nodes"] = nlohmann::ordered_json::object();
  for (const auto& [node, times] : block.times) json["nodes"][coverage.nodes[node].name] = times;
  return json;
}

}  // namespace

std::string block_coverage_text(const BlockCoverage& coverage, const Report& report) {
  return harmless(report.headline + "\n\n" + nodes_text(coverage) + files_text(coverage) +
                  uncovered_text(coverage));
}

std::string block_coverage_json(const BlockCoverage& coverage, const Report& report) {
  nlohmann::ordered_json json;
  json["schema"] = "ricercar.blocks/1";
  json["kind"] = report.kind;
  json["message"] = report.headline;
  json["schedule"] = report.schedule;
  json.update(json_of(coverage.figures()));
  json["nodes"] = Json::array();
  for (std::uint32_t i = 0; i < coverage.nodes.size(); ++i) {
    Json node = {{"name", coverage.nodes[i].name}};
    node.update(json_of(coverage.figures_of(i)));
    json["nodes"].push_back(node);
  }
  json["modules"] = Json::array();
  for (const CodeModule& module : coverage.modules) {
    Json blocks = Json::array();
    for (const Block& block : module.blocks) blocks.push_back(json_of(coverage, block));
    json["modules"].push_back({{"path", module.path}, {"blocks", blocks}});
  }
  return json_text(json);
}

}  // namespace ricercar::inline report
