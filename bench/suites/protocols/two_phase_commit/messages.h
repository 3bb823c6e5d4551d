// What the machines of two-phase commit tell each other, and what they tell the monitors.
#pragma once

#include <ricercar/machine.h>

#include <string>

#include "bugs.h"

namespace two_phase_commit {

using ricercar::MachineId;
using ricercar::suite::bug;

// Transactions are numbered from 1 in the order in which the coordinator begins them. The number
// is the version of what a transaction has written; 0 is the version of a key nobody has written.
using Transaction = int;

enum class Progress { undecided, committed, aborted };

// --- Between clients and servers ---

struct WriteRequest {
  MachineId client;
  int request;  // the client's number for it, the same when it is sent again
  std::string key;
  std::string value;
};
struct WriteReply {
  int request;
  bool committed;
  Transaction version;
};
struct ReadRequest {
  MachineId client;
  int request;
  std::string key;
};
struct ReadReply {
  int request;
  Transaction version;
  std::string value;
};
// The connection to a server was lost and is there again: what was in it may be lost.
struct Reconnected {
  MachineId server;
};

// --- Between the coordinator and the participants ---

struct Prepare {
  MachineId coordinator;
  Transaction transaction;
  std::string key;
  std::string value;
};
struct Vote {
  MachineId participant;
  Transaction transaction;
  bool yes;
};
struct Outcome {
  MachineId coordinator;
  Transaction transaction;
  bool commit;
};
struct OutcomeRequest {
  MachineId participant;
  Transaction transaction;
};
struct Acknowledgement {
  MachineId participant;
  Transaction transaction;
};

// --- Timers ---

struct VoteTimeout {
  Transaction transaction;
};
struct OutcomeTimeout {
  Transaction transaction;
};

// --- Log records on their way to the disk, in the versions that do not wait for it ---

struct OutcomeWritten {
  Transaction transaction;
  bool commit;
};
struct VoteWritten {
  Prepare request;
};

// --- For the monitors ---

struct Began {
  Transaction transaction;
  MachineId client;
  int request;
};
struct Voted {
  MachineId participant;
  Transaction transaction;
  bool yes;
};
struct Decided {  // by the coordinator
  Transaction transaction;
  bool commit;
};
struct Applied {  // by a participant
  MachineId participant;
  Transaction transaction;
  bool commit;
};

}  // namespace two_phase_commit
