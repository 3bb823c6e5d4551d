// An owner and its deputy: when a detector that goes by pings suspects the owner, the deputy takes
// over. The suspicion may be wrong, because the answer is only late. So the owner must have
// retired, or have crashed for certain, before the deputy is promoted.
//
// bug=1: a suspicion is taken for a crash: two owners.
// bug=2: the deputy is promoted by the owner's answer alone: an owner that has crashed does not
// answer,
//        and there is no owner for ever.
#include <ricercar/environment.h>

#include "../bugs.h"

namespace {

using ricercar::MachineId;
using ricercar::suite::bug;
namespace environment = ricercar::environment;

struct Retire {
  MachineId coordinator;
};
struct Retired {};
struct Promote {};

// For the monitor.
struct Owns {
  MachineId node;
};
struct Resigned {
  MachineId node;
};

struct Node : ricercar::Machine {
  bool owns = false;

  struct Serving;

  static void define(ricercar::Definition<Node>& machine) {
    machine.state<Serving>()
        .entry(&Node::start)
        .on(&Node::ping)
        .on(&Node::retire)
        .on<Promote>(&Node::promote);
  }

  void start() {
    if (owns) announce(Owns{self()});
  }
  void ping(const environment::Ping& ping) {
    send(ping.from, environment::Pong{self(), ping.round});
  }
  void retire(const Retire& order) {
    owns = false;
    announce(Resigned{self()});
    send(order.coordinator, Retired{});
  }
  void promote() {
    owns = true;
    announce(Owns{self()});
  }
};

struct Coordinator : ricercar::Machine {
  MachineId owner;
  MachineId deputy;
  bool is_retiring = false;

  struct Calm;
  struct Done;

  static void define(ricercar::Definition<Coordinator>& machine) {
    machine.state<Calm>()
        .on(&Coordinator::suspected)
        .on<Retired>(&Coordinator::promote)
        .on(&Coordinator::crashed)
        .ignore<environment::Trusted>();
    machine.state<Done>()
        .ignore<environment::Suspected, environment::Trusted, environment::Crashed, Retired>();
  }

  void suspected(const environment::Suspected&) {
    if (bug(1)) return promote();
    if (!is_retiring) send(owner, Retire{self()});
    is_retiring = true;
  }

  void crashed(const environment::Crashed& crash) {
    announce(Resigned{crash.machine});
    if (!bug(2) || !is_retiring) promote();
  }

  void promote() {
    send(deputy, Promote{});
    go_to<Done>();
  }
};

// Never two owners; and not none at the end.
struct OneOwner : ricercar::Monitor {
  MachineId owner;

  struct None;
  struct One;

  static void define(ricercar::Definition<OneOwner>& monitor) {
    monitor.state<None>().hot().go_to<Owns, One>(&OneOwner::owns);
    monitor.state<One>().on(&OneOwner::second).on(&OneOwner::resigned);
  }

  void owns(const Owns& owns) { owner = owns.node; }
  void second(const Owns&) { require(false, "two owners"); }
  void resigned(const Resigned& resigned) {
    if (resigned.node == owner) go_to<None>();
  }
};

}  // namespace

int main(int count, char** arguments) {
  const ricercar::suite::Arguments sizes(count, arguments, {{"rounds", 2}, {"crashes", 1}});
  return ricercar::run_machines(1, arguments, [&sizes](ricercar::System& system) {
    system.monitor<OneOwner>();
    const MachineId owner = system.create(Node{.owns = true});
    const MachineId deputy = system.create(Node{});
    const MachineId coordinator = system.create(Coordinator{.owner = owner, .deputy = deputy});
    system.create(environment::PingDetector{
        .watched = {owner}, .listeners = {coordinator}, .rounds = sizes["rounds"]});
    system.create(environment::CrashInjector{.victims = {owner},
                                             .crashes = sizes["crashes"],
                                             .restarts = false,
                                             .observer = coordinator});
  });
}
