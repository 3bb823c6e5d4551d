// The story of machines with the names of fields: `Lease{1}` becomes `Lease{term = 1}`, and values
// of enumerations get their names. Machines tell values without names, because a program does not
// know how its fields are called; its debug information does. Not thread-safe.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "model/recording.h"
#include "report/symbols.h"

namespace ricercar::inline report {

class NamedStory {
 public:
  // Both are not owned.
  NamedStory(const Recording& recording, Symbols& symbols);

  const Recording& recording() const { return recording_; }

 private:
  const char* named(const char* text);
  const char* keep(const std::string& text);

  Symbols& symbols_;
  Recording recording_;
  std::vector<RecordedAct> acts_;
  std::vector<RecordedMachine> machines_;
  std::vector<RecordedCondition> conditions_;
  std::deque<std::string> texts_;
};

// Of all values of classes in a text. What cannot be taken apart for certain stays as it is.
std::string with_field_names(const std::string& text, Symbols& symbols);
// Of the fields of a class alone: "{1, true}".
std::string with_field_names(const std::string& text, const std::string& type, Symbols& symbols);

}  // namespace ricercar::inline report
