// The world around the driver: the board on its bus, the power manager, the hub that notices when
// the plug is pulled, and an application that cancels some of its requests.
#pragma once

#include <utility>

#include "messages.h"

namespace osr {

struct Device : ricercar::Machine {
  MachineId driver;
  int toggles = 0;  // how often somebody still moves a switch
  int errors = 0;   // transfers that may still fail
  bool interrupts = false;
  int current = -1;  // the transfer that is under way
  Kind kind = Kind::set_leds;
  std::uint8_t new_leds = 0;
  std::uint8_t leds = 0;
  std::uint8_t switches = 0;

  struct Unattached;
  struct Plugged;
  struct Gone;
  struct Attach {
    MachineId driver;
  };
  struct Finish {
    int id;
  };
  struct Toggle {};

  static void define(ricercar::Definition<Device>& machine) {
    machine.state<Unattached>().go_to<Attach, Plugged>(&Device::attach);
    machine.state<Plugged>()
        .on(&Device::begin)
        .on(&Device::finish)
        .on(&Device::abort)
        .on<StartInterrupts>(&Device::start_interrupts)
        .on<StopInterrupts>(&Device::stop_interrupts)
        .on<Toggle>(&Device::toggle)
        .go_to<Unplugged, Gone>();
    machine.state<Gone>()
        .ignore<Transfer, Finish, Abort, StartInterrupts, StopInterrupts, Toggle>();
  }

  void attach(const Attach& attach) { driver = attach.driver; }

  void begin(const Transfer& transfer) {
    require(current == -1, "two transfers at a time");
    current = transfer.id;
    kind = transfer.kind;
    new_leds = transfer.leds;
    start_timer(Finish{transfer.id});
  }

  void finish(const Finish& finish) {
    if (finish.id != current) return;
    if (errors > 0 && choose()) return fail();
    if (kind == Kind::set_leds) leds = new_leds;
    current = -1;
    send(driver, TransferDone{finish.id, kind == Kind::set_leds ? leds : switches});
  }

  void fail() {
    --errors;
    send(driver, TransferFailed{std::exchange(current, -1)});
  }

  void abort(const Abort& abort) {
    if (abort.id != current) return;
    stop_timer<Finish>();
    current = -1;
    send(driver, TransferAborted{abort.id});
  }

  void start_interrupts() {
    interrupts = true;
    if (toggles > 0) start_timer(Toggle{});
  }

  void stop_interrupts() {
    interrupts = false;
    stop_timer<Toggle>();
    send(driver, InterruptsStopped{});
  }

  void toggle() {
    if (!interrupts || toggles == 0) return;
    if (--toggles > 0) start_timer(Toggle{});
    switches ^= 1;
    send(driver, SwitchInterrupt{switches});
  }
};

// Takes the power away and gives it back, some time later.
struct PowerManager : ricercar::Machine {
  MachineId driver;
  int suspensions = 0;

  struct Starting;
  struct Up;
  struct GoingDown;
  struct Down;
  struct Suspend {};
  struct Resume {};

  static void define(ricercar::Definition<PowerManager>& machine) {
    machine.state<Starting>().entry(&PowerManager::resume).go_to<PoweredUp, Up>();
    machine.state<Up>().entry(&PowerManager::plan).on<Suspend>(&PowerManager::suspend);
    machine.state<GoingDown>().go_to<PoweredDown, Down>();
    machine.state<Down>().entry(&PowerManager::wait).go_to<Resume, Starting>();
  }

  void resume() { send(driver, PowerUp{self()}); }
  void plan() {
    if (suspensions > 0) start_timer(Suspend{});
  }
  void suspend() {
    --suspensions;
    send(driver, PowerDown{self()});
    go_to<GoingDown>();
  }
  void wait() { start_timer(Resume{}); }
};

struct Hub : ricercar::Machine {
  MachineId driver;
  MachineId device;

  struct Watching;
  struct Pull {};

  static void define(ricercar::Definition<Hub>& machine) {
    machine.state<Watching>().entry(&Hub::wait).on<Pull>(&Hub::pull);
  }

  void wait() { start_timer(Pull{}); }
  void pull() {
    send(device, Unplugged{});
    send(driver, SurpriseRemoval{});
  }
};

struct Application : ricercar::Machine {
  MachineId driver;
  int requests = 1;  // at a time
  int bursts = 1;    // so many times, each when the last one has been completed
  int cancellations = 0;
  std::uint8_t switches = 0;
  int submitted = 0;
  int completed = 0;

  struct Waiting;
  struct Running;
  struct Open {
    MachineId driver;
  };
  struct ChangeMind {};

  static void define(ricercar::Definition<Application>& machine) {
    machine.state<Waiting>().go_to<Open, Running>(&Application::open);
    machine.state<Running>()
        .entry(&Application::submit)
        .on(&Application::report)
        .on<ChangeMind>(&Application::cancel)
        .on(&Application::complete);
  }

  void open(const Open& open) { driver = open.driver; }

  void submit() {
    submit_burst();
    if (cancellations > 0) start_timer(ChangeMind{});
  }

  void complete(const Completion&) {
    if (++completed == submitted && bursts > 0) submit_burst();
  }

  void submit_burst() {
    --bursts;
    const int end = submitted + requests;
    for (int id = submitted; id < end; ++id) {
      announce(Submitted{id});
      const Kind kind = id % 2 == 0 ? Kind::set_leds : Kind::read_switches;
      send(driver, Request{self(), id, kind, static_cast<std::uint8_t>(1 << id % 8)});
    }
    submitted = end;
  }

  void cancel() {
    if (--cancellations > 0) start_timer(ChangeMind{});
    send(driver, Cancel{choose_between(submitted - requests, submitted - 1)});
  }

  void report(const SwitchReport& report) { switches = report.switches; }
};

}  // namespace osr
