// A client of the transaction system.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "transactions/messages.h"

namespace transactions {

// Runs one transaction after the other. After one that was committed it reads the key from every
// shard, if it is to, and must see what it has written or something newer.
struct Client : ricercar::Machine {
  MachineId manager = {};
  std::vector<MachineId> shards = {};
  std::string key;
  int transactions = 1;
  bool reads = true;
  int retries = 0;  // so many times it loses patience and asks again

  int request = 0;
  std::vector<Sequence> written = {};  // by shard
  std::set<int> seen = {};             // the shards that have answered the read

  struct RetryTimeout {
    int request;
  };

  struct Writing;
  struct Reading;

  static void define(ricercar::Definition<Client>& machine) {
    machine.state<Writing>()
        .entry(&Client::begin)
        .on(&Client::ended)
        .on(&Client::lose_patience)
        .ignore<ReadReply>();
    machine.state<Reading>()
        .entry(&Client::begin_reading)
        .on(&Client::answered)
        .ignore<Ended, RetryTimeout>();
  }

  void begin() {
    if (request == transactions) {
      announce(ClientDone{self()});
      halt();
      return;
    }
    ++request;
    send_begin();
    if (retries > 0) start_timer(RetryTimeout{request});
  }

  void lose_patience(const RetryTimeout& timeout) {
    if (timeout.request != request || retries == 0) return;
    --retries;
    send_begin();
  }

  void ended(const Ended& end) {
    if (end.request != request) return;
    stop_timer<RetryTimeout>();
    written = end.versions;
    if (end.committed && reads) {
      go_to<Reading>();
    } else {
      go_to<Writing>();
    }
  }

  void begin_reading() {
    seen.clear();
    for (const MachineId shard : shards) send(shard, Read{self(), request, key});
  }

  void answered(const ReadReply& reply) {
    if (reply.request != request) return;
    require(reply.version >= written[static_cast<std::size_t>(reply.shard)],
            "reads an older value than its own");
    seen.insert(reply.shard);
    if (seen.size() == shards.size()) go_to<Writing>();
  }

 private:
  void send_begin() const {
    const std::string value = std::to_string(self().number()) + "." + std::to_string(request);
    send(manager, Begin{self(), request, key, value});
  }
};

}  // namespace transactions
