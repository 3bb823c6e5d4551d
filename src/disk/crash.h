// What a crash leaves of the files that a node has changed. Changes that were synced survive; of
// the others it is a choice, for the contents of each file and for all names by themselves. The
// model is written down in docs/guide/nodes.md.
//
// For who searches, not for the program's process.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "disk/log.h"

namespace ricercar::inline disk {

// Changes that may be lost: of the contents of one file, or of names (`file` is 0), oldest first.
struct Unsynced {
  std::uint32_t file = 0;
  std::vector<FileChange*> changes;
};

std::vector<Unsynced> unsynced(const DiskLog& log, std::uint16_t node);

// One thing that may happen to such a list.
struct Survival {
  std::vector<bool> survives;  // by change
  bool is_torn = false;        // of the last one that survives, a write, only the first half does

  bool loses_nothing() const;
};

// All that may happen; first that nothing is lost, last that all of it is.
std::vector<Survival> survivals(const Unsynced& list, bool may_tear);

// What is lost, in words: "2 of 3 unsynced changes of 'log'".
std::string words_of(const Unsynced& list, const Survival& survival);

// One for each list that `unsynced` gives, in the same order: the files become what survives of
// them, and that is what the log says from then on.
void apply_crash(DiskLog& log, std::uint16_t node, const std::vector<Unsynced>& lists,
                 const std::vector<Survival>& chosen);

}  // namespace ricercar::inline disk
