// The election in a ring of Chang and Roberts (1979): every node sends its number round; a node
// lets higher numbers pass and stops lower ones, so only the highest comes back to its owner.
//
// bug=1: a node compares with >= and lets its own number pass, too: it goes round for ever.
// bug=2: a node that has not sent its own number yet lets lower ones pass: two leaders.
#include <ricercar/machine.h>

#include "../bugs.h"

namespace {

using ricercar::MachineId;
using ricercar::suite::bug;

struct Elect {
  int number;
};
struct Leads {
  int number;
};

struct Node : ricercar::Machine {
  int number = 0;
  MachineId next;
  bool has_sent = false;

  struct Alone;
  struct Running;
  struct Join {
    MachineId next;
  };
  struct Start {};

  static void define(ricercar::Definition<Node>& machine) {
    machine.state<Alone>().go_to<Join, Running>(&Node::join).defer<Elect>();
    machine.state<Running>().entry(&Node::wait).on<Start>(&Node::start).on(&Node::pass);
  }

  void join(const Join& join) { next = join.next; }
  void wait() { start_timer(Start{}); }

  void start() {
    if (has_sent) return;
    has_sent = true;
    send(next, Elect{number});
  }

  void pass(const Elect& elect) {
    const bool is_higher = bug(1) ? elect.number >= number : elect.number > number;
    if (is_higher || (bug(2) && !has_sent)) return send(next, elect);
    if (elect.number < number) return start();
    announce(Leads{number});
  }
};

struct OneLeader : ricercar::Monitor {
  struct Electing;
  struct Elected;

  static void define(ricercar::Definition<OneLeader>& monitor) {
    monitor.state<Electing>().hot().go_to<Leads, Elected>();
    monitor.state<Elected>().on<Leads>(&OneLeader::second);
  }

  void second() { require(false, "two leaders"); }
};

}  // namespace

int main(int count, char** arguments) {
  const ricercar::suite::Arguments sizes(count, arguments, {{"nodes", 3}});
  return ricercar::run_machines(1, arguments, [&sizes](ricercar::System& system) {
    system.monitor<OneLeader>();
    std::vector<MachineId> nodes;
    for (int i = 0; i < sizes["nodes"]; ++i) nodes.push_back(system.create(Node{.number = i}));
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      system.send(nodes[i], Node::Join{nodes[(i + 1) % nodes.size()]});
    }
  });
}
