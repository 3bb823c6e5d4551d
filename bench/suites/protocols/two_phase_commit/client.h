// Clients, and the machine that makes servers crash and come back.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "two_phase_commit/messages.h"

namespace two_phase_commit {

// Writes its own values to the one key, and after each write that has been committed reads the key
// from any participant. It must see its own value or a later one.
struct Client : ricercar::Machine {
  MachineId coordinator;
  std::vector<MachineId> participants;
  int number = 0;
  int writes = 1;

  struct Working;

  static void define(ricercar::Definition<Client>& machine) {
    machine.state<Working>().entry(&Client::work);
  }

  void work() {
    for (int request = 1; request <= writes; ++request) {
      const std::string value = std::to_string(number) + "." + std::to_string(request);
      const WriteReply written = write({self(), request, "account", value});
      if (!written.committed) continue;
      const ReadReply seen = read({self(), request, "account"});
      require(seen.version >= written.version, "reads an older value than its own");
      require(seen.version != written.version || seen.value == value,
              "reads another value under the version of its own");
    }
    halt();
  }

 private:
  WriteReply write(const WriteRequest& request) const {
    send(coordinator, request);
    while (true) {
      const auto event = receive<WriteReply, Reconnected>();
      if (const auto* reply = std::get_if<WriteReply>(&event)) {
        if (reply->request == request.request) return *reply;
      } else if (std::get<Reconnected>(event).server == coordinator) {
        send(coordinator, request);
      }
    }
  }

  ReadReply read(const ReadRequest& request) const {
    const MachineId server = participants[choose(static_cast<unsigned>(participants.size()))];
    send(server, request);
    while (true) {
      const auto event = receive<ReadReply, Reconnected>();
      if (const auto* reply = std::get_if<ReadReply>(&event)) {
        if (reply->request == request.request) return *reply;
      } else if (std::get<Reconnected>(event).server == server) {
        send(server, request);
      }
    }
  }
};

// Crashes servers, one after the other, each at any time, and starts them again.
struct FaultInjector : ricercar::Machine {
  std::vector<MachineId> servers;
  std::vector<MachineId> clients;  // they notice when a server has been away
  int faults = 1;

  struct Inject {};
  struct Repair {
    MachineId server;
  };

  struct Injecting;

  static void define(ricercar::Definition<FaultInjector>& machine) {
    machine.state<Injecting>()
        .entry(&FaultInjector::wait)
        .on<Inject>(&FaultInjector::inject)
        .on(&FaultInjector::repair);
  }

  void wait() {
    if (faults == 0) {
      halt();
    } else {
      send(self(), Inject{});
    }
  }

  void inject() {
    --faults;
    const MachineId victim = servers[choose(static_cast<unsigned>(servers.size()))];
    crash(victim);
    send(self(), Repair{victim});
  }

  void repair(const Repair& repair) {
    restart(repair.server);
    for (const MachineId client : clients) send(client, Reconnected{repair.server});
    wait();
  }
};

}  // namespace two_phase_commit
