#include "report/block_coverage.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "report/block_sites.h"
#include "report/executable.h"
#include "report/style.h"
#include "report/symbols.h"

namespace ricercar::inline report {
namespace {

namespace fs = std::filesystem;

std::unique_ptr<Symbols> symbols_of(const std::string& path) {
  RecordedModule module{};
  module.high = ~std::uint64_t{0};
  Recording recording{};
  recording.modules = {&module, 1};
  return debug_symbols(recording, path);
}

Frame users_frame(const std::vector<Frame>& frames) {
  for (const Frame& frame : frames) {
    if (frame.is_users && !frame.file.empty()) return frame;
  }
  return frames.empty() ? Frame{} : frames.front();
}

// What the compiler adds for the instrumentation itself: it is run before main, and has no line.
bool is_compilers(const Frame& frame) {
  return frame.file.empty() &&
         (frame.function.starts_with("_sub_I_") || frame.function.starts_with("tsan.module_ctor"));
}

class Collector {
 public:
  explicit Collector(const Recording& recording) : recording_(recording) {
    for (const RecordedBlock& block : recording.blocks) {
      seen_[block.module][block.address][block.node] += block.times;
    }
  }

  BlockCoverage collect(const std::vector<std::string>& programs) {
    for (std::uint32_t i = 0; i < recording_.machines.size; ++i) {
      result_.nodes.push_back({recording_.machines[i].name, {}});
      if (i < programs.size()) add_program(result_.nodes.back(), programs[i]);
      for (const RecordedBlock& block : recording_.blocks) {
        if (block.node == i) add_module(result_.nodes.back(), block.module);
      }
    }
    return std::move(result_);
  }

 private:
  void add_program(CodeNode& node, const std::string& program) {
    add_module(node, fs::weakly_canonical(program));
    for (const std::string& library : libraries_of(program)) {
      add_module(node, fs::weakly_canonical(library));
    }
  }

  void add_module(CodeNode& node, const std::string& path) {
    const auto [known, is_new] = modules_.try_emplace(path, result_.modules.size());
    if (is_new) {
      CodeModule module{path, blocks_of(path)};
      if (module.blocks.empty()) {
        known->second = nothing;
      } else {
        result_.modules.push_back(std::move(module));
      }
    }
    std::vector<std::size_t>& own = node.modules;
    const bool is_known = std::find(own.begin(), own.end(), known->second) != own.end();
    if (known->second != nothing && !is_known) own.push_back(known->second);
  }

  std::vector<Block> blocks_of(const std::string& path) {
    const auto& seen = seen_[path];
    std::vector<std::uint64_t> sites = block_sites(path);
    for (const auto& [address, times] : seen) sites.push_back(address);
    std::sort(sites.begin(), sites.end());
    sites.erase(std::unique(sites.begin(), sites.end()), sites.end());
    if (sites.empty()) return {};
    const std::unique_ptr<Symbols> symbols = symbols_of(path);
    std::vector<Block> blocks;
    for (const std::uint64_t address : sites) {
      Block block{address, users_frame(symbols->frames(address)), {}};
      if (const auto found = seen.find(address); found != seen.end()) block.times = found->second;
      if (!is_compilers(block.frame)) blocks.push_back(std::move(block));
    }
    return blocks;
  }

  static constexpr std::size_t nothing = ~std::size_t{0};

  const Recording& recording_;
  std::map<std::string, std::map<std::uint64_t, std::map<std::uint32_t, std::uint64_t>>> seen_;
  std::map<std::string, std::size_t> modules_;  // by path; `nothing`: it has no blocks
  BlockCoverage result_;
};

}  // namespace

BlockCoverage block_coverage(const Recording& recording, const std::vector<std::string>& programs) {
  return Collector(recording).collect(programs);
}

// --- Figures ---

std::uint64_t Block::all_times() const {
  std::uint64_t sum = 0;
  for (const auto& [node, count] : times) sum += count;
  return sum;
}

void BlockFigures::add(const Block& block) {
  ++all;
  covered += block.is_covered() ? 1 : 0;
  times += block.all_times();
}

BlockFigures BlockCoverage::figures() const {
  BlockFigures result;
  for (const CodeModule& module : modules) {
    for (const Block& block : module.blocks) result.add(block);
  }
  return result;
}

BlockFigures BlockCoverage::figures_of(std::uint32_t node) const {
  BlockFigures result;
  for (const std::size_t module : nodes[node].modules) {
    for (const Block& block : modules[module].blocks) {
      const auto own = block.times.find(node);
      ++result.all;
      result.covered += own == block.times.end() ? 0 : 1;
      result.times += own == block.times.end() ? 0 : own->second;
    }
  }
  return result;
}

std::map<std::string, BlockFigures> BlockCoverage::figures_of_files() const {
  std::map<std::string, BlockFigures> result;
  for (const CodeModule& module : modules) {
    for (const Block& block : module.blocks) {
      result[block.frame.is_users ? block.frame.file : ""].add(block);
    }
  }
  return result;
}

std::map<std::string, LinesOfFile> BlockCoverage::lines() const {
  std::map<std::string, LinesOfFile> result;
  for (const CodeModule& module : modules) {
    for (const Block& block : module.blocks) {
      if (!block.frame.is_users || block.frame.file.empty()) continue;
      LineFigures& line = result[block.frame.file][block.frame.line];
      line.blocks.add(block);
      for (const auto& [node, times] : block.times) {
        line.times[node] = std::max(line.times[node], times);
      }
    }
  }
  return result;
}

std::string words_of(const BlockFigures& figures) {
  return fmt::format(
      "{} of {} ({} %), run through {}", grouped(figures.covered), counted(figures.all, "block"),
      figures.all == 0 ? 0 : figures.covered * 100 / figures.all, counted(figures.times, "time"));
}

std::string words_of(const BlockCoverage& coverage,
                     const std::map<std::uint32_t, std::uint64_t>& times) {
  std::string words;
  for (const auto& [node, count] : times) {
    words += fmt::format("{}{} {}", words.empty() ? "" : ", ", coverage.nodes[node].name,
                         grouped(count));
  }
  return words;
}

}  // namespace ricercar::inline report
