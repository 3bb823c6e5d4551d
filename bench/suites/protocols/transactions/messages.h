// What the machines of the transaction system tell each other, and what they tell the monitors.
// Within a shard the messages are those of chain replication.
#pragma once

#include <string>
#include <vector>

#include "chain_replication/messages.h"

namespace transactions {

using chain_replication::Command;
using chain_replication::Sequence;
using ricercar::MachineId;
using ricercar::suite::bug;

// Transactions are numbered from 1 in the order in which the manager begins them.
using Transaction = int;

// The bugs of this system, apart from those of the chains beneath it.
inline constexpr int early_reply = 101;
inline constexpr int short_memory = 102;

// --- Between clients and the manager ---

// Writes the value under the key in every shard, or in none.
struct Begin {
  MachineId client;
  int request;  // the client's number for it, the same when it is sent again
  std::string key;
  std::string value;
};
struct Ended {
  int request;
  bool committed;
  std::vector<Sequence> versions;  // by shard; what was written
};

// --- Between clients and shards ---

struct Read {
  MachineId client;
  int request;
  std::string key;
};
struct ReadReply {
  int shard;
  int request;
  Sequence version;
  std::string value;
};

// --- Between the manager and shards ---

struct Execute {
  MachineId manager;
  Command command;
};
struct Executed {
  int shard;
  Command command;
  bool accepted;
  Sequence version;
};

// --- For the monitors ---

struct Began {
  Transaction transaction;
  MachineId client;
  int request;
};
struct Decided {
  Transaction transaction;
  bool commit;
};
struct ShardAnswered {
  int shard;
  Transaction transaction;
  Command::Kind kind;
  bool accepted;
};
struct ClientDone {
  MachineId client;
};

}  // namespace transactions
