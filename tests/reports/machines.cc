// A server that closes for good when it is told so, and then gets one more request.
#include <ricercar/machine.h>

struct Request {
  int number = 0;
};
struct Close {};

struct Server : ricercar::Machine {
  int served = 0;

  struct Open;
  struct Closed;
  static void define(ricercar::Definition<Server>& machine) {
    machine.state<Open>().on(&Server::serve).go_to<Close, Closed>();
    machine.state<Closed>();
  }
  void serve(const Request&) { ++served; }
};

struct Client : ricercar::Machine {
  ricercar::MachineId server;

  struct Asking;
  static void define(ricercar::Definition<Client>& machine) {
    machine.state<Asking>().entry(&Client::ask);
  }
  void ask() {
    send(server, Request{1});
    send(server, Close{});
    send(server, Request{2});
  }
};

int main(int argument_count, char** arguments) {
  return ricercar::run_machines(argument_count, arguments, [](ricercar::System& system) {
    const ricercar::MachineId server = system.create(Server{});
    system.create(Client{{}, server});
  });
}
