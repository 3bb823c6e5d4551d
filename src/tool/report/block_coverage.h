// Which blocks of code the nodes of a cluster ran through in one recorded execution, how often, and
// which blocks there are that none of them did. Not thread-safe (libelf, libdw).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/recording.h"
#include "report/model.h"
#include "report/place.h"

namespace ricercar::inline report {

struct Block {
  std::uint64_t address = 0;  // in the file of its module: behind the call with which it begins
  Frame frame;                // the innermost call of the user's own
  std::map<std::uint32_t, std::uint64_t> times;  // by node; without those that did not come here

  bool is_covered() const { return !times.empty(); }
  std::uint64_t all_times() const;
};

// A program or a library.
struct CodeModule {
  std::string path;
  std::vector<Block> blocks;  // in ascending order of their addresses
};

struct CodeNode {
  std::string name;
  std::vector<std::size_t> modules;  // its program and the libraries of that
};

struct BlockFigures {
  std::uint64_t all = 0;
  std::uint64_t covered = 0;
  std::uint64_t times = 0;  // how often they were run through, all together

  void add(const Block& block);
};

// What is known of one line of the source. Blocks of several programs may be on it.
struct LineFigures {
  BlockFigures blocks;
  std::map<std::uint32_t, std::uint64_t> times;  // by node: of the block that it ran most often

  bool is_covered() const { return blocks.covered > 0; }
};

using LinesOfFile = std::map<unsigned, LineFigures>;  // by line

struct BlockCoverage {
  std::vector<CodeModule> modules;  // those with blocks
  std::vector<CodeNode> nodes;

  BlockFigures figures() const;
  BlockFigures figures_of(std::uint32_t node) const;
  // By file. What is not the user's, or has no line, is under the empty name.
  std::map<std::string, BlockFigures> figures_of_files() const;
  std::map<std::string, LinesOfFile> lines() const;  // of the user's files
};

// `programs`: the path of each node's program, in the order of the nodes.
BlockCoverage block_coverage(const Recording& recording, const std::vector<std::string>& programs);

std::string block_coverage_text(const BlockCoverage& coverage, const Report& report);
std::string block_coverage_json(const BlockCoverage& coverage, const Report& report);
// One page that needs nothing else: the lines of the source with how often they were run through.
std::string block_coverage_html(const BlockCoverage& coverage, const Report& report);

// "12 of 40 blocks (30 %), run through 88 times"
std::string words_of(const BlockFigures& figures);
// "server 3, one 2"
std::string words_of(const BlockCoverage& coverage,
                     const std::map<std::uint32_t, std::uint64_t>& times);

}  // namespace ricercar::inline report
