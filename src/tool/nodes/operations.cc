#include "nodes/operations.h"

#include <fmt/format.h>

#include <algorithm>

namespace ricercar::inline nodes {

void Operations::clear() {
  all_.clear();
  open_.clear();
  time_ = answered_ = 0;
}

std::vector<Operations::Open>::iterator Operations::find(const Reported& report) {
  return std::find_if(open_.begin(), open_.end(), [&](const Open& each) {
    return each.node == report.node && each.client == report.id;
  });
}

std::string Operations::invoke(const Reported& report, const char* client) {
  if (const auto open = find(report); open != open_.end()) {
    return fmt::format(
        "the client '{}' invokes '{}' before '{}' has come back: one operation at a time, or "
        "another name for each thread",
        client, report.names, all_[open->number].name);
  }
  open_.push_back({report.node, report.id, all_.size()});
  ricercar_operation operation = {};
  operation.client = client;
  operation.name = report.names;
  operation.arguments = report.values;
  operation.argument_count = report.count;
  operation.invoked = ++time_;
  all_.push_back(operation);
  return {};
}

std::string Operations::respond(const Reported& report, const char* client) {
  const auto open = find(report);
  if (open == open_.end()) {
    return fmt::format(
        "the client '{}' has an answer to no question: call ricercar::invoke before it", client);
  }
  ricercar_operation& operation = all_[open->number];
  operation.results = report.values;
  operation.result_count = report.count;
  operation.responded = ++time_;
  ++answered_;
  open_.erase(open);
  return {};
}

void Operations::abandon(std::uint32_t node) {
  std::erase_if(open_, [node](const Open& each) { return each.node == node; });
}

}  // namespace ricercar::inline nodes
