// A lock server: clients ask for the lock, and give it back.
#include <ricercar/machine.h>

#include <deque>

struct Acquire {
  ricercar::MachineId client;
};
struct Granted {};
struct Release {};
struct Rest {};

// Announced for the monitors.
struct Entered {};
struct Left {};

struct LockServer : ricercar::Machine {
  std::deque<ricercar::MachineId> waiting;  // the first one has the lock

  struct Serving;
  static void define(ricercar::Definition<LockServer>& machine) {
    machine.state<Serving>().on(&LockServer::acquire).on<Release>(&LockServer::release);
  }

  void acquire(const Acquire& request) {
    if (waiting.empty()) send(request.client, Granted{});
    waiting.push_back(request.client);
  }
  void release() {
    waiting.pop_front();
    if (!waiting.empty()) send(waiting.front(), Granted{});
  }
};

struct Client : ricercar::Machine {
  ricercar::MachineId server;

  struct Working;
  static void define(ricercar::Definition<Client>& machine) {
    machine.state<Working>().entry(&Client::work).ignore<Rest, Granted>();
  }
  void work() {
    send(server, Acquire{self()});
    receive<Granted>();
    announce(Entered{});
    send(self(), Rest{});  // the others may come in here
    announce(Left{});
    send(server, Release{});
  }
};

// Safety: one at a time. Liveness: who has entered leaves.
struct OneAtATime : ricercar::Monitor {
  struct Free;
  struct Busy;
  static void define(ricercar::Definition<OneAtATime>& monitor) {
    monitor.state<Free>().go_to<Entered, Busy>();
    monitor.state<Busy>().on<Entered>(&OneAtATime::second).go_to<Left, Free>().hot();
  }
  void second() { require(false, "two clients have the lock"); }
};

int main(int argument_count, char** arguments) {
  return ricercar::run_machines(argument_count, arguments, [](ricercar::System& system) {
    system.monitor<OneAtATime>();
    const ricercar::MachineId server = system.create(LockServer{});
    const ricercar::MachineId one = system.create(Client{{}, server});
    const ricercar::MachineId two = system.create(Client{{}, server});
    const ricercar::MachineId three = system.create(Client{{}, server});
    system.symmetric(one, two, three);
  });
}
