// A client that goes from one server to the other as long as they are busy. With bug=1 all may be
// busy for ever; otherwise each sends it away once at most. The cycle has an unusual answer of each
// server in it.
#include <ricercar/machine.h>

#include <vector>

#include "../bugs.h"

namespace {

using ricercar::MachineId;
using ricercar::suite::bug;

struct Ask {
  MachineId client;
};
struct Busy {};
struct Granted {};
struct Served {};  // for the monitor

struct Server : ricercar::Machine {
  int refusals = 1;

  struct Serving;

  static void define(ricercar::Definition<Server>& machine) {
    machine.state<Serving>().on(&Server::answer);
  }

  void answer(const Ask& ask) {
    const bool may_refuse = bug(1) || refusals > 0;
    if (!may_refuse || !choose()) return send(ask.client, Granted{});
    if (!bug(1)) --refusals;
    send(ask.client, Busy{});
  }
};

struct Client : ricercar::Machine {
  std::vector<MachineId> servers;
  std::size_t next = 0;

  struct Asking;
  struct Done;

  static void define(ricercar::Definition<Client>& machine) {
    machine.state<Asking>()
        .entry(&Client::ask)
        .on<Busy>(&Client::ask)
        .go_to<Granted, Done>(&Client::served);
    machine.state<Done>();
  }

  void ask() {
    send(servers[next], Ask{self()});
    next = (next + 1) % servers.size();
  }
  void served(const Granted&) { announce(Served{}); }
};

struct Service : ricercar::Monitor {
  struct Waiting;
  struct Done;

  static void define(ricercar::Definition<Service>& monitor) {
    monitor.state<Waiting>().hot().go_to<Served, Done>();
    monitor.state<Done>();
  }
};

}  // namespace

int main(int count, char** arguments) {
  const ricercar::suite::Arguments sizes(count, arguments, {{"servers", 2}});
  return ricercar::run_machines(1, arguments, [&sizes](ricercar::System& system) {
    system.monitor<Service>();
    Client client;
    for (int i = 0; i < sizes["servers"]; ++i) client.servers.push_back(system.create(Server{}));
    system.create(client);
  });
}
