// The access to a shard: makes a chain of servers look like one participant.
//
// Commands of the manager are taken one after the other; one that has not been answered is sent
// again under its number whenever the chain changes. Reads go to the tail at once.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <utility>

#include "transactions/messages.h"

namespace transactions {

using chain_replication::ChainChanged;
using chain_replication::Query;
using chain_replication::QueryReply;
using chain_replication::Update;
using chain_replication::UpdateReply;

struct Shard : ricercar::Machine {
  int number = 0;

  MachineId manager = {};
  MachineId head = {};
  MachineId tail = {};
  int request = 0;                    // of the first command in the queue
  std::deque<Command> commands = {};  // the first one is on its way
  int reads = 0;
  std::map<int, Read> unanswered = {};  // by the number of the read

  struct Connecting;
  struct Working;

  static void define(ricercar::Definition<Shard>& machine) {
    machine.state<Connecting>()
        .go_to<ChainChanged, Working>(&Shard::connect)
        .defer<Execute, Read>();
    machine.state<Working>()
        .on(&Shard::connect_again)
        .on(&Shard::execute)
        .on(&Shard::executed)
        .on(&Shard::read)
        .on(&Shard::answered);
  }

  void connect(const ChainChanged& chain) {
    head = chain.head;
    tail = chain.tail;
  }

  void connect_again(const ChainChanged& chain) {
    connect(chain);
    if (!commands.empty()) send_command();
    for (const auto& [id, read] : unanswered) send(tail, Query{self(), id, read.key});
  }

  void execute(const Execute& order) {
    manager = order.manager;
    commands.push_back(order.command);
    if (commands.size() == 1) send_next();
  }

  void executed(const UpdateReply& reply) {
    if (commands.empty() || reply.request != request) return;
    const Command command = commands.front();
    commands.pop_front();
    require(reply.accepted || command.kind == Command::prepare,
            "a shard refuses what it has promised");
    announce(ShardAnswered{number, command.transaction, command.kind, reply.accepted});
    send(manager, Executed{number, command, reply.accepted, reply.sequence});
    if (!commands.empty()) send_next();
  }

  void read(const Read& read) {
    unanswered[++reads] = read;
    send(tail, Query{self(), reads, read.key});
  }

  void answered(const QueryReply& reply) {
    const auto found = unanswered.find(reply.request);
    if (found == unanswered.end()) return;
    const Read read = found->second;
    unanswered.erase(found);
    send(read.client, ReadReply{number, read.request, reply.version, reply.value});
  }

 private:
  void send_next() {
    ++request;
    send_command();
  }
  void send_command() const { send(head, Update{self(), request, commands.front()}); }
};

}  // namespace transactions
