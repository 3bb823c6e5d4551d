// A program of machines: one asks, one answers.
#include <ricercar/machine.h>

struct Ask {
  ricercar::MachineId from;
};
struct Answer {};

struct Server : ricercar::Machine {
  struct Serving;
  static void define(ricercar::Definition<Server>& machine) {
    machine.state<Serving>().on(&Server::answer);
  }
  void answer(const Ask& ask) { send(ask.from, Answer{}); }
};

struct Client : ricercar::Machine {
  ricercar::MachineId server;
  struct Asking;
  static void define(ricercar::Definition<Client>& machine) {
    machine.state<Asking>().entry(&Client::ask);
  }
  void ask() {
    send(server, Ask{self()});
    receive<Answer>();
  }
};

int main(int argument_count, char** arguments) {
  return ricercar::run_machines(argument_count, arguments, [](ricercar::System& system) {
    const ricercar::MachineId server = system.create(Server{});
    system.create(Client{{}, server});
    system.create(Client{{}, server});
  });
}
