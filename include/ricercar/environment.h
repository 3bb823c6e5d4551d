// The environment of a protocol, as machines: a network that loses, doubles and reorders, crashes
// and restarts, and detectors of failures that may be wrong. Each fault has a budget, so that the
// states stay finite, and each decision is a choice of the search: what goes well comes first.
//
//   const MachineId network = system.create(environment::Channel{.losses = 1});
//   ...
//   environment::send_through(network, server, Request{7});   // inside a handler
//
// Under the checker these stand for the real world; a deployed program leaves them out.
#pragma once

#include <ricercar/machine.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace ricercar::environment {

// An event of any type as a value that can be kept, compared and sent on.
class AnyEvent {
 public:
  AnyEvent() = default;
  template <typename E>
  explicit AnyEvent(const E& event) : event_(detail::make_event(event)) {}

  explicit operator bool() const { return static_cast<bool>(event_); }
  // Nothing happens if there is no event in it. Only inside of a handler.
  void send_to(MachineId machine) const {
    if (event_) detail::context().send(machine, event_);
  }
  template <typename E>
  bool is() const {
    return event_ && event_->type == &detail::event_type<E>();
  }

  void hash(Hasher& hasher) const {
    hasher.add(std::uint64_t{event_ ? event_->type->number + 1 : 0});
    if (event_) event_->type->hash(event_->payload, hasher);
  }
  void describe(std::string& text) const {
    if (event_) {
      event_->type->describe(event_->payload, text);
    } else {
      text += "nothing";
    }
  }

 private:
  detail::Event event_;
};

// --- The network ---

struct Envelope {
  MachineId to;
  AnyEvent event;
};

// Sends through the channel, or directly if there is none.
template <typename E>
void send_through(MachineId channel, MachineId to, const E& event) {
  if (channel) {
    detail::context().send(channel, detail::make_event(Envelope{to, AnyEvent(event)}));
  } else {
    detail::context().send(to, detail::make_event(event));
  }
}

// Forwards envelopes in the order in which they come, but for the faults. Everybody may share one.
struct Channel : Machine {
  int losses = 0;       // messages that do not arrive
  int duplicates = 0;   // messages that arrive twice, the second time right after the first
  int reorderings = 0;  // messages that others overtake, any number of them
  std::vector<Envelope> held_back = {};

  struct Forwarding;
  struct Release {};

  static void define(Definition<Channel>& machine) {
    machine.state<Forwarding>().on(&Channel::forward).on<Release>(&Channel::release);
  }

  void forward(const Envelope& envelope) {
    switch (choose_fault()) {
      case Fault::none:
        return deliver(envelope);
      case Fault::loss:
        --losses;
        return;
      case Fault::duplicate:
        --duplicates;
        deliver(envelope);
        return deliver(envelope);
      case Fault::reordering:
        --reorderings;
        held_back.push_back(envelope);
        start_timer(Release{});
    }
  }

  void release() {
    const Envelope oldest = held_back.front();
    held_back.erase(held_back.begin());
    if (!held_back.empty()) start_timer(Release{});
    deliver(oldest);
  }

 private:
  enum class Fault { none, loss, duplicate, reordering };

  Fault choose_fault() const {
    std::vector<Fault> possible = {Fault::none};
    if (losses > 0) possible.push_back(Fault::loss);
    if (duplicates > 0) possible.push_back(Fault::duplicate);
    if (reorderings > 0) possible.push_back(Fault::reordering);
    if (possible.size() == 1) return Fault::none;
    return possible[choose(static_cast<std::uint32_t>(possible.size()))];
  }

  static void deliver(const Envelope& envelope) { envelope.event.send_to(envelope.to); }
};

// --- Crashes ---

struct Crashed {
  MachineId machine;
};
struct Restarted {
  MachineId machine;
};

// Crashes machines, any of the victims, each time at any moment or not at all; those that are down
// come back one after the other, at any moment, in the order in which they went.
struct CrashInjector : Machine {
  std::vector<MachineId> victims = {};
  int crashes = 1;
  bool restarts = true;
  MachineId observer = {};  // is told by Crashed and Restarted
  std::vector<MachineId> down = {};

  struct Watching;
  struct Strike {};
  struct Recover {};

  static void define(Definition<CrashInjector>& machine) {
    machine.state<Watching>()
        .entry(&CrashInjector::prepare)
        .on<Strike>(&CrashInjector::strike)
        .on<Recover>(&CrashInjector::recover);
  }

  void prepare() {
    if (crashes > 0 && !standing().empty()) start_timer(Strike{});
  }

  void strike() {
    const std::vector<MachineId> targets = standing();
    if (targets.empty()) return;
    const std::uint32_t target = choose(static_cast<std::uint32_t>(targets.size()) + 1);
    --crashes;
    if (target == 0) return prepare();
    const MachineId victim = targets[target - 1];
    down.push_back(victim);
    crash(victim);
    if (restarts) start_timer(Recover{});
    prepare();
    if (observer) send(observer, Crashed{victim});
  }

  void recover() {
    const MachineId machine = down.front();
    down.erase(down.begin());
    restart(machine);
    if (!down.empty()) start_timer(Recover{});
    prepare();
    if (observer) send(observer, Restarted{machine});
  }

 private:
  std::vector<MachineId> standing() const {
    std::vector<MachineId> machines;
    for (const MachineId machine : victims) {
      if (std::find(down.begin(), down.end(), machine) == down.end()) machines.push_back(machine);
    }
    return machines;
  }
};

// --- Detectors of failures ---

struct Suspected {
  MachineId machine;
};
struct Trusted {
  MachineId machine;
};

// Tells its listeners who is down. It is the observer of a crash injector, so it misses nothing;
// with a budget of mistakes it also suspects, for a while, machines that are up.
struct FailureDetector : Machine {
  std::vector<MachineId> watched = {};
  std::vector<MachineId> listeners = {};
  int mistakes = 0;
  std::vector<MachineId> suspects = {};
  MachineId wronged = {};  // suspected by mistake

  struct Watching;
  struct Err {};
  struct Repent {};

  static void define(Definition<FailureDetector>& machine) {
    machine.state<Watching>()
        .entry(&FailureDetector::prepare)
        .on(&FailureDetector::crashed)
        .on(&FailureDetector::restarted)
        .on<Err>(&FailureDetector::err)
        .on<Repent>(&FailureDetector::repent);
  }

  void prepare() {
    if (mistakes > 0 && !watched.empty()) start_timer(Err{});
  }

  void crashed(const Crashed& crash) {
    if (wronged == crash.machine) wronged = {};
    suspect(crash.machine);
  }
  void restarted(const Restarted& restart) { trust(restart.machine); }

  void err() {
    --mistakes;
    const std::uint32_t victim = choose(static_cast<std::uint32_t>(watched.size()) + 1);
    if (victim == 0 || suspected(watched[victim - 1])) return prepare();
    wronged = watched[victim - 1];
    start_timer(Repent{});
    suspect(wronged);
  }

  void repent() {
    const MachineId machine = std::exchange(wronged, MachineId{});
    prepare();
    if (machine) trust(machine);
  }

 private:
  bool suspected(MachineId machine) const {
    return std::find(suspects.begin(), suspects.end(), machine) != suspects.end();
  }
  void suspect(MachineId machine) {
    if (suspected(machine)) return;
    suspects.push_back(machine);
    for (const MachineId listener : listeners) send(listener, Suspected{machine});
  }
  void trust(MachineId machine) {
    if (!suspected(machine)) return;
    std::erase(suspects, machine);
    for (const MachineId listener : listeners) send(listener, Trusted{machine});
  }
};

// Asked by a PingDetector. Whoever is watched answers with Pong{self(), ping.round}.
struct Ping {
  MachineId from;
  int round;
};
struct Pong {
  MachineId machine;
  int round;
};

// Knows only what answers tell: who has not answered when the time-out comes is suspected, and
// trusted again when an answer comes after all. Slow machines are suspected wrongly.
struct PingDetector : Machine {
  std::vector<MachineId> watched = {};
  std::vector<MachineId> listeners = {};
  int rounds = 1;
  MachineId channel = {};  // pings go through it
  std::vector<MachineId> silent = {};
  std::vector<MachineId> suspects = {};

  struct Probing;
  struct Expired {};

  static void define(Definition<PingDetector>& machine) {
    machine.state<Probing>()
        .entry(&PingDetector::probe)
        .on(&PingDetector::heard)
        .on<Expired>(&PingDetector::expired);
  }

  void probe() {
    if (rounds == 0) return;
    silent = watched;
    start_timer(Expired{});
    for (const MachineId machine : watched) send_through(channel, machine, Ping{self(), rounds});
  }

  void heard(const Pong& pong) {
    if (pong.round == rounds) std::erase(silent, pong.machine);
    if (std::erase(suspects, pong.machine) == 0) return;
    for (const MachineId listener : listeners) send(listener, Trusted{pong.machine});
  }

  void expired() {
    const std::vector<MachineId> late = std::exchange(silent, {});
    for (const MachineId machine : late) {
      if (std::find(suspects.begin(), suspects.end(), machine) != suspects.end()) continue;
      suspects.push_back(machine);
      for (const MachineId listener : listeners) send(listener, Suspected{machine});
    }
    --rounds;
    probe();
  }
};

}  // namespace ricercar::environment
