// Puts a ReportDetail together, step by step. One instance for one report; not thread-safe.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "report/model.h"
#include "report/names.h"

namespace ricercar::inline report {

// What has a value is known by its kind and a key of the caller's.
using EntryKey = std::pair<std::string, std::uint64_t>;

class DetailBuilder {
 public:
  // From here on everything is about this step.
  void at(std::size_t step) { step_ = step; }
  // Nothing is added twice, nor of a step with itself.
  void link(LinkKind kind, std::optional<std::size_t> from, std::optional<std::size_t> to);
  void set(const EntryKey& key, const std::string& name, const std::string& value);
  void take(TaskId lane, std::uint64_t key, const std::string& object, bool is_shared);
  void give(TaskId lane, std::uint64_t key);
  ReportDetail finish(std::size_t steps);

 private:
  std::size_t step_ = 0;
  ReportDetail detail_;
  std::map<EntryKey, std::size_t> entries_;
  std::vector<std::string> values_;  // by entry
  std::map<std::pair<TaskId, std::uint64_t>, ReportHolding> held_;
  std::set<std::pair<std::size_t, std::size_t>> linked_;
};

// From what the report says already and the addresses that only the recording has: the links,
// holdings and values of `steps`, which are those of the whole recording.
ReportDetail detail_of_threads(Names& names, const std::vector<ReportStep>& steps);
// The same of what machines and nodes say in their own words.
ReportDetail detail_of_story(const Recording& recording, const Report& report);

}  // namespace ricercar::inline report
