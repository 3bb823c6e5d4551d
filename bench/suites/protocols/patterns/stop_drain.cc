// Stopping a service whose tasks are under way, as it goes wrong in programs with channels and
// locks: the lock is a machine, and who waits for it or for an answer is blocked inside of
// receive().
//
// bug=1: who stops keeps the lock while the tasks drain, but a task needs the lock to sign off.
// bug=2: who waits for a result gives up after a time-out without taking it: the task that hands it
// over
//        waits for ever.
#include <ricercar/machine.h>

#include <optional>
#include <variant>
#include <vector>

#include "../bugs.h"

namespace {

using ricercar::MachineId;
using ricercar::suite::bug;

struct Lock {
  MachineId from;
};
struct Unlock {};
struct Locked {};

struct Mutex : ricercar::Machine {
  std::vector<MachineId> waiting;

  struct Free;
  struct Taken;

  static void define(ricercar::Definition<Mutex>& machine) {
    machine.state<Free>().on(&Mutex::give);
    machine.state<Taken>().on(&Mutex::wait).on<Unlock>(&Mutex::pass_on);
  }

  void give(const Lock& lock) {
    go_to<Taken>();
    send(lock.from, Locked{});
  }
  void wait(const Lock& lock) { waiting.push_back(lock.from); }
  void pass_on() {
    if (waiting.empty()) return go_to<Free>();
    const MachineId next = waiting.front();
    waiting.erase(waiting.begin());
    send(next, Locked{});
  }
};

struct Begin {
  MachineId task;
};
struct Admitted {
  bool accepted;
};
struct End {};
struct Drain {
  MachineId from;
};
struct Drained {};

// Counts tasks. Whoever calls holds the mutex, except for Drain.
struct Service : ricercar::Machine {
  int running = 0;
  bool is_stopping = false;
  MachineId stopper;

  struct Serving;

  static void define(ricercar::Definition<Service>& machine) {
    machine.state<Serving>().on(&Service::begin).on<End>(&Service::end).on(&Service::drain);
  }

  void begin(const Begin& begin) {
    if (!is_stopping) ++running;
    send(begin.task, Admitted{!is_stopping});
  }
  void end() {
    --running;
    look();
  }
  void drain(const Drain& drain) {
    is_stopping = true;
    stopper = drain.from;
    look();
  }
  void look() {
    if (is_stopping && running == 0) send(stopper, Drained{});
  }
};

struct Result {
  MachineId task;
  int value;
};
struct Took {};

// One task: it signs on, works, hands its result over, and signs off.
struct Task : ricercar::Machine {
  MachineId mutex;
  MachineId service;
  MachineId caller;

  struct Working;

  static void define(ricercar::Definition<Task>& machine) {
    machine.state<Working>().entry(&Task::work);
  }

  void work() {
    lock();
    send(service, Begin{self()});
    const bool accepted = receive<Admitted>().accepted;
    send(mutex, Unlock{});
    if (!accepted) return;
    send(caller, Result{self(), 42});
    receive<Took>();
    lock();
    send(service, End{});
    send(mutex, Unlock{});
  }

  void lock() {
    send(mutex, Lock{self()});
    receive<Locked>();
  }
};

struct Caller : ricercar::Machine {
  struct Waiting;
  struct GivenUp;
  struct TimeOut {};

  static void define(ricercar::Definition<Caller>& machine) {
    machine.state<Waiting>().entry(&Caller::wait).on(&Caller::take).go_to<TimeOut, GivenUp>();
    auto given_up = machine.state<GivenUp>().ignore<TimeOut>();
    if (bug(2)) {
      given_up.ignore<Result>();
    } else {
      given_up.on(&Caller::take);
    }
  }

  void wait() { start_timer(TimeOut{}); }
  void take(const Result& result) { send(result.task, Took{}); }
};

struct Stopper : ricercar::Machine {
  MachineId mutex;
  MachineId service;

  struct Stopping;

  static void define(ricercar::Definition<Stopper>& machine) {
    machine.state<Stopping>().entry(&Stopper::stop);
  }

  void stop() {
    send(mutex, Lock{self()});
    receive<Locked>();
    send(service, Drain{self()});
    if (!bug(1)) send(mutex, Unlock{});
    receive<Drained>();
    if (bug(1)) send(mutex, Unlock{});
  }
};

}  // namespace

int main(int count, char** arguments) {
  const ricercar::suite::Arguments sizes(count, arguments, {{"tasks", 2}});
  return ricercar::run_machines(1, arguments, [&sizes](ricercar::System& system) {
    const MachineId mutex = system.create(Mutex{});
    const MachineId service = system.create(Service{});
    const MachineId caller = system.create(Caller{});
    for (int i = 0; i < sizes["tasks"]; ++i) {
      system.create(Task{.mutex = mutex, .service = service, .caller = caller});
    }
    system.create(Stopper{.mutex = mutex, .service = service});
  });
}
