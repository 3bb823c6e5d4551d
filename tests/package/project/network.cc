// Two nodes in one process: a client on one, a server on the other.
#include <ricercar/network.h>

#include <atomic>
#include <iostream>
#include <thread>

static std::atomic<int> answers = 0;

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
    machine.state<Asking>().entry(&Client::ask).on(&Client::answered);
  }
  void ask() { send(server, Ask{self()}); }
  void answered(const Answer&) { ++answers; }
};

struct Node {
  explicit Node(const std::string& name)
      : network(deployment,
                {.node = name, .nodes = {{"a", "127.0.0.1", 0}, {"b", "127.0.0.1", 0}}}) {
    network.accepts<Ask, Answer>();
    const ricercar::MachineId server = network.create_on("b", Server{});
    network.create_on("a", Client{{}, server});
  }
  void start() {
    network.start();
    deployment.start();
  }

  ricercar::Deployment deployment;
  ricercar::Network network;
};

int main() {
  Node a("a");
  Node b("b");
  a.network.set_address("b", "127.0.0.1", b.network.port());
  b.network.set_address("a", "127.0.0.1", a.network.port());
  b.start();
  a.start();
  for (int i = 0; i < 1000 && answers == 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  std::cout << answers << " answer\n";
  return answers == 1 ? 0 : 1;
}
