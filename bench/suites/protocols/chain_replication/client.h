// Clients of the chain, and the machine that makes its servers fail.
#pragma once

#include <string>
#include <vector>

#include "chain_replication/messages.h"

namespace chain_replication {

// Updates the one key and, if it is to, queries it after each update. It must see its own value
// or a later one.
struct Client : ricercar::Machine {
  int updates = 1;
  bool queries = true;
  int retries = 0;  // so many times it loses patience and sends an update again

  MachineId head = {};
  MachineId tail = {};
  int request = 0;
  Sequence acknowledged = 0;

  struct RetryTimeout {
    int request;
  };

  struct Connecting;
  struct Updating;
  struct Querying;

  static void define(ricercar::Definition<Client>& machine) {
    machine.state<Connecting>().on(&Client::connect);
    machine.state<Updating>()
        .entry(&Client::begin_update)
        .on(&Client::update_ends)
        .on(&Client::update_again)
        .on(&Client::lose_patience)
        .ignore<QueryReply>();
    machine.state<Querying>()
        .entry(&Client::begin_query)
        .on(&Client::query_ends)
        .on(&Client::query_again)
        .ignore<UpdateReply, RetryTimeout>();
  }

  void connect(const ChainChanged& chain) {
    take(chain);
    go_to<Updating>();
  }

  void begin_update() {
    if (request == updates) {
      announce(ClientDone{self()});
      halt();
      return;
    }
    ++request;
    send_update();
    if (retries > 0) start_timer(RetryTimeout{request});
  }

  void update_again(const ChainChanged& chain) {
    take(chain);
    send_update();
  }

  void lose_patience(const RetryTimeout& timeout) {
    if (timeout.request != request || retries == 0) return;
    --retries;
    send_update();
  }

  void update_ends(const UpdateReply& reply) {
    if (reply.request != request && !bug(2)) return;
    acknowledged = reply.sequence;
    announce(Acknowledged{self(), reply.sequence});
    stop_timer<RetryTimeout>();
    if (queries) {
      go_to<Querying>();
    } else {
      go_to<Updating>();
    }
  }

  void begin_query() {
    announce(QueryBegan{self()});
    send_query();
  }

  void query_again(const ChainChanged& chain) {
    take(chain);
    send_query();
  }

  void query_ends(const QueryReply& reply) {
    if (reply.request != request) return;
    announce(QueryEnded{self(), reply.version});
    require(reply.version > acknowledged || reply.value == value(),
            "reads another value than it has written");
    go_to<Updating>();
  }

 private:
  std::string value() const {
    return std::to_string(self().number()) + "." + std::to_string(request);
  }

  void take(const ChainChanged& chain) {
    head = chain.head;
    tail = chain.tail;
  }
  void send_update() const {
    send(head, Update{self(), request, {Command::put, 0, "account", value()}});
  }
  void send_query() const { send(tail, Query{self(), request, "account"}); }
};

// Makes servers fail, each at any time, and lets the master know: a perfect failure detector.
struct FaultInjector : ricercar::Machine {
  std::vector<MachineId> servers = {};
  int faults = 0;
  MachineId master = {};

  struct Inject {};

  struct Injecting;

  static void define(ricercar::Definition<FaultInjector>& machine) {
    machine.state<Injecting>().on(&FaultInjector::watch).on<Inject>(&FaultInjector::inject);
  }

  void watch(const Watch& request) {
    master = request.master;
    explorer_hint(move_to_back, self().number());
    wait();
  }

  void inject() {
    --faults;
    const auto victim = servers.begin() + choose(static_cast<unsigned>(servers.size()));
    const MachineId server = *victim;
    servers.erase(victim);
    announce(Crashed{server});
    crash(server);
    send(master, ServerFailed{server});
    wait();
  }

 private:
  void wait() const {
    if (faults > 0 && servers.size() > 1) {
      send(self(), Inject{});
    } else {
      halt();
    }
  }
};

}  // namespace chain_replication
