// What Raft's servers and clients say to each other, and what the monitors are told.
#pragma once

#include <ricercar/machine.h>

#include <vector>

namespace raft {

using ricercar::MachineId;

using Term = int;   // 0 is before the first election
using Index = int;  // of an entry of the log, from 1; 0 is before the first one

struct Command {
  MachineId client;
  int number = 0;

  bool operator==(const Command&) const = default;
};

struct Entry {
  Term term = 0;
  Command command;

  bool operator==(const Entry&) const = default;
};

// --- Between servers ---

struct RequestVote {
  MachineId candidate;
  Term term;
  Index last_index;
  Term last_term;
};
struct Vote {
  MachineId voter;
  Term term;
  bool granted;
};
struct Append {
  MachineId leader;
  Term term;
  Index previous_index;
  Term previous_term;
  std::vector<Entry> entries;
  Index commit;
};
struct Appended {
  MachineId follower;
  Term term;
  bool success;
  Index match;  // what the follower has in common with the leader; where to try next if it failed
};

// --- Between clients and servers ---

struct Request {
  Command command;
};
struct Redirect {
  MachineId leader;  // nobody: not known
  int number;
};
struct Reply {
  int number;
};

// --- What the monitors are told ---

struct Elected {
  MachineId server;
  Term term;
  std::vector<Entry> log;
};
// By the leader that commits it.
struct Committed {
  Term term;  // of the leader
  Index index;
  Entry entry;
};
struct Applied {
  MachineId server;
  Index index;
  Entry entry;
};
struct Answered {
  Command command;
};

}  // namespace raft
