// One event in words: "locks queue.mutex_", "loads ready = 0", "creates T1".
#pragma once

#include <cstdint>
#include <string>

#include "report/names.h"

namespace ricercar::inline report {

struct Phrase {
  std::string what;
  std::string object = {};  // the parts that are named in it
  std::string value = {};
};

Phrase phrase(Names& names, const RecordedEvent& event, std::size_t event_index);

// "waits to join T1", "waits for queue.mutex_". `quote` is put around the name of the object.
std::string waiting_phrase(Names& names, const Operation& waiting, const std::string& quote = "");

// The name of what is waited for; empty: nothing that has one.
std::string awaited_object(Names& names, const Operation& waiting);

// The later access of a race gives the memory back.
bool is_race_with_free(const RecordedOutcome& outcome);

// What the access does in which a race or a use after free showed: reads, writes or frees.
const char* access_verb(const RecordedOutcome& outcome);

OperationKind access_kind(const RecordedOutcome& outcome);

// The same with what it is about: "reads Node#1.next", "frees Node#1".
std::string access_phrase(Names& names);

// The last row of a use after free: "locks queue.mutex_, which is freed".
std::string use_of_freed(Names& names);

// A value as its type says; addresses by the name of what they point to.
std::string value_text(Names& names, const Variable& variable, std::uint64_t value,
                       std::uint32_t size);

}  // namespace ricercar::inline report
