// What the machines of chain replication tell each other, and what they tell the monitors.
#pragma once

#include <ricercar/machine.h>

#include <string>

#include "bugs.h"
#include "chain_replication/store.h"

namespace chain_replication {

using ricercar::MachineId;
using ricercar::suite::bug;

// Updates are numbered from 1 in the order in which the head takes them.
using Sequence = int;

// --- Between clients and servers ---

struct Update {
  MachineId client;
  int request;  // the client's number for it, the same when it is sent again; from 1, without gaps
  Command command;
};
struct UpdateReply {
  int request;
  Sequence sequence;
  bool accepted;
};
struct Query {
  MachineId client;
  int request;
  std::string key;
};
struct QueryReply {
  int request;
  Sequence version;
  std::string value;
};

// --- Along the chain ---

struct Forward {
  MachineId predecessor;
  Sequence sequence;
  Update update;
};
// Everything up to this update has reached the tail.
struct Stable {
  Sequence sequence;
};

// --- Between the master and the others ---

// The place in the chain; nobody where there is no neighbour.
struct Configure {
  MachineId master;
  int round;
  MachineId predecessor;
  MachineId successor;
};
struct Configured {
  MachineId server;
  int round;
};
struct BecomeHead {};
struct BecomeTail {};
struct NewPredecessor {
  MachineId predecessor;
};
struct Received {  // the answer to NewPredecessor: the last update that it has
  MachineId server;
  Sequence sequence;
};
struct NewSuccessor {
  MachineId successor;
  Sequence received;
};
// For clients: whatever has not been answered is to be sent again.
struct ChainChanged {
  MachineId head;
  MachineId tail;
};

// --- Between the failure detector and the master ---

struct Watch {
  MachineId master;
};
struct ServerFailed {
  MachineId server;
};

// --- For the monitors ---

struct Applied {
  MachineId server;
  Sequence sequence;
  MachineId client;
  int request;
};
struct TookOver {  // as head or tail
  MachineId server;
  Sequence sequence;
};
struct Crashed {
  MachineId server;
};
struct Acknowledged {  // the client knows
  MachineId client;
  Sequence sequence;
};
struct QueryBegan {
  MachineId client;
};
struct QueryEnded {
  MachineId client;
  Sequence version;
};
struct ClientDone {
  MachineId client;
};

// What Machine::explorer_hint says: this machine comes first, or last, from now on.
inline constexpr std::uint64_t move_to_front = 1;
inline constexpr std::uint64_t move_to_back = 2;

}  // namespace chain_replication
