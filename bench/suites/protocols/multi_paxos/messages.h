// What the replicas and clients of Multi-Paxos say to each other, and what the monitors are told.
#pragma once

#include <ricercar/machine.h>

#include <map>

namespace multi_paxos {

using ricercar::MachineId;

using Ballot = int;  // 0 is below all ballots; ballot b belongs to replica b modulo their number
using Slot = int;    // of the log, from 0

struct Command {
  MachineId client;  // nobody: fills a gap, does nothing
  int number = 0;    // the client's own count, from 0

  bool operator==(const Command&) const = default;
};

// What an acceptor has voted for in a slot.
struct Vote {
  Ballot ballot = 0;
  Command command;
};

// --- Between replicas ---

struct Prepare {
  MachineId leader;
  Ballot ballot;
};
struct Promise {
  MachineId acceptor;
  Ballot ballot;
  std::map<Slot, Vote> log;
};
struct Accept {
  MachineId leader;
  Ballot ballot;
  Slot slot;
  Command command;
  Slot stable;  // everybody has executed all slots before this one
};
struct Accepted {
  MachineId acceptor;
  Ballot ballot;
  Slot slot;
  Slot executed;  // the acceptor has executed all slots before this one
};
struct Refused {
  Ballot promised;
};
struct Commit {
  MachineId leader;
  Ballot ballot;
  Slot slot;
};
struct Fetch {
  MachineId replica;
  Slot slot;
};
struct Chosen {
  Slot slot;
  Command command;
};

// --- Between clients and replicas ---

struct Request {
  Command command;
};
struct Reply {
  int number;
  int result;
};
struct Redirect {
  MachineId leader;
  int number;
};

// --- What the monitors are told ---

struct Executed {
  MachineId replica;
  Slot slot;
  Command command;
};
// The command has changed the replica's state: it was not a repetition.
struct Changed {
  MachineId replica;
  Command command;
};
struct Served {};

}  // namespace multi_paxos
