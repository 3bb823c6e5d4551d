// Variables of the programs of a cluster, found by their debug information and read from the
// processes while these wait. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "nodes/cluster.h"
#include "report/program_names.h"
#include "ricercar/abi.h"

namespace ricercar::inline nodes {

class GlobalValues {
 public:
  explicit GlobalValues(const Cluster& cluster) : cluster_(cluster) {}

  // Null: its process cannot be read. Good until the next call. Throws UsageError if the program
  // has no such variable, or it is no single value.
  const ricercar_value* read(std::uint32_t node, const std::string& name);

 private:
  const ProgramVariable& variable(const std::string& program, const std::string& name);

  const Cluster& cluster_;
  std::map<std::pair<std::string, std::string>, ProgramVariable> known_;  // by program and name
  ricercar_value value_ = {};
};

}  // namespace ricercar::inline nodes
