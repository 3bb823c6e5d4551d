// What happened in an execution of a world that tells it in its own words, kept for a report. One
// thread at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "model/recording.h"

namespace ricercar::inline search {

class KeptStory {
 public:
  // The texts need not outlive the calls.
  void add(RecordedAct act);
  // What a task was at the end.
  void add(RecordedMachine machine);
  // What one has become after the acts so far.
  void add(RecordedCondition condition);
  void add(RecordedProperty property);
  void add(const RecordedCheck& check) { checks_.push_back(check); }

  void add(RecordedBlock block);

  // Into the search's memory, for the tool.
  void copy_to(Recording& recording) const;

  const std::vector<RecordedAct>& acts() const { return acts_; }
  const std::vector<RecordedMachine>& machines() const { return machines_; }

 private:
  void keep(const char*& text) { text = texts_.emplace_back(text).c_str(); }

  std::vector<RecordedAct> acts_;
  std::vector<RecordedMachine> machines_;
  std::vector<RecordedCondition> conditions_;
  std::map<std::uint32_t, std::size_t> last_conditions_;  // by machine: indexes
  std::size_t condition_bytes_ = 0;
  std::vector<RecordedProperty> properties_;
  std::vector<RecordedCheck> checks_;
  std::vector<RecordedBlock> blocks_;
  std::deque<std::string> texts_;
};

}  // namespace ricercar::inline search
