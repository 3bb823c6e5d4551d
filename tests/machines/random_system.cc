#include "machines/random_system.h"

#include <algorithm>

#include "base/random.h"

namespace ricercar::test {
namespace {

// The system that is being searched; the scripts are no part of a state.
const RandomSystem* searched = nullptr;

template <int number>
struct Numbered {
  int value = 0;
};
using First = Numbered<0>;
using Second = Numbered<1>;
struct Tick {};
struct Seen {
  int by = 0;
  int event = 0;
};

// It has a state that does not handle what is announced, and remembers the order of the rest.
struct Observer : Monitor {
  int order = 0;
  struct Open;
  struct Closed;
  static void define(Definition<Observer>& monitor) {
    monitor.watch<Second>();
    monitor.state<Open>().on(&Observer::see).on(&Observer::sent);
    monitor.state<Closed>().on(&Observer::sent);
  }
  void see(const Seen& seen) {
    order = (order * 5 + seen.by + 1) % 1021;
    if (seen.event == 1) go_to<Closed>();
  }
  void sent(const Second& second) {
    order = (order * 3 + second.value + 1) % 1021;
    if (second.value % 2 == 0) go_to<Open>();
  }
};

struct Scripted : Machine {
  int role = 0;
  int fuel = 2;  // scripts that it still follows
  int order = 0;
  MachineId child;
  struct Normal;
  struct Picky;

  static void define(Definition<Scripted>& machine) {
    machine.state<Normal>()
        .entry(&Scripted::enter)
        .on(&Scripted::first)
        .on(&Scripted::second)
        .on(&Scripted::tick);
    machine.state<Picky>().defer<First>().on(&Scripted::second).on(&Scripted::tick);
  }

  const Role& own_role() const { return searched->roles[static_cast<std::size_t>(role)]; }
  void crash() { order = 0; }

  void enter() {
    if (order == 0) follow(own_role().start);
  }
  void first(const First& event) {
    note(event.value);
    follow(own_role().on_event[0]);
  }
  void second(const Second& event) {
    note(event.value + 7);
    follow(own_role().on_event[1]);
  }
  void tick(const Tick&) {
    note(13);
    follow(own_role().on_timer);
  }
  void note(int what) { order = (order * 31 + what + 1) % 4099; }

  void follow(const Script& script) {
    if (fuel == 0) return;
    --fuel;
    for (const Command& command : script) {
      if (!perform(command)) return;
    }
  }

  MachineId target_of(const Command& command) const {
    if (command.target < searched->machines)
      return MachineId(static_cast<std::uint32_t>(command.target));
    return child ? child : self();
  }
  void post(MachineId to, int event, int value) const {
    if (event == 0) {
      send(to, First{value});
    } else {
      send(to, Second{value});
    }
  }

  // False: the handler asked for something that takes effect when it returns.
  bool perform(const Command& command) {
    const MachineId target = target_of(command);
    switch (command.kind) {
      case Command::send:
        post(target, command.event, role);
        return true;
      case Command::choose:
        post(target, command.event, static_cast<int>(choose(2)) + 10);
        return true;
      case Command::receive:
        if (command.event == 0) {
          note(receive<First>().value + 20);
        } else {
          note(static_cast<int>(receive<First, Second>().index()) + 30);
        }
        return true;
      case Command::start_timer:
        start_timer(Tick{});
        return true;
      case Command::stop_timer:
        stop_timer<Tick>();
        return true;
      case Command::create:
        // The children of children do nothing, so that there is an end.
        child = create(Scripted{{}, searched->machines, role < searched->machines ? 1 : 0, 0, {}});
        return true;
      case Command::announce:
        announce(Seen{role, command.event});
        return true;
      case Command::crash:
        Machine::crash(target);
        return true;
      case Command::restart:
        restart(target);
        return true;
      case Command::sealed_sends: {
        const Sealed sealed;
        post(target, 0, role);
        post(target, 1, role);
        return true;
      }
      case Command::change_state:
        go_to<Picky>();
        return false;
      case Command::raise:
        Machine::raise(Second{role + 40});
        return false;
      case Command::halt:
        halt();
        return false;
      case Command::count:
        break;
    }
    return false;
  }
};

Script make_script(Random& random, int machines, std::uint32_t longest,
                   const std::vector<Command::Kind>& without) {
  Script script;
  const std::size_t length = random.below(longest + 1);
  while (script.size() < length) {
    // Half of what machines do is to send.
    const auto kind = random.below(2) == 0
                          ? Command::send
                          : static_cast<Command::Kind>(random.below(Command::count));
    if (std::find(without.begin(), without.end(), kind) != without.end()) continue;
    script.push_back({kind,
                      static_cast<int>(random.below(static_cast<std::uint32_t>(machines) + 1)),
                      static_cast<int>(random.below(2))});
  }
  return script;
}

std::string text_of(const Script& script) {
  static constexpr const char* names[] = {
      "send",  "choose",  "receive",      "start_timer", "stop_timer", "create", "announce",
      "crash", "restart", "change_state", "raise",       "halt",       "sealed"};
  std::string text;
  for (const Command& command : script) {
    text += std::string(" ") + names[command.kind] + "(" + std::to_string(command.target) + "," +
            std::to_string(command.event) + ")";
  }
  return text + "\n";
}

}  // namespace

std::string RandomSystem::to_text() const {
  std::string text;
  for (std::size_t i = 0; i < roles.size(); ++i) {
    text += "role " + std::to_string(i) + "\n  start:" + text_of(roles[i].start) +
            "  first:" + text_of(roles[i].on_event[0]) +
            "  second:" + text_of(roles[i].on_event[1]) + "  timer:" + text_of(roles[i].on_timer);
  }
  return text;
}

RandomSystem make_random_system(std::uint64_t seed, const std::vector<Command::Kind>& without) {
  Random random(seed);
  RandomSystem system;
  system.machines = 2 + static_cast<int>(random.below(2));
  for (int i = 0; i <= system.machines; ++i) {
    system.roles.push_back({make_script(random, system.machines, 3, without),
                            {make_script(random, system.machines, 2, without),
                             make_script(random, system.machines, 2, without)},
                            make_script(random, system.machines, 2, without)});
  }
  return system;
}

SetUp set_up_of(const RandomSystem& system) {
  searched = &system;
  return [&system](System& into) {
    into.monitor<Observer>();
    for (int i = 0; i < system.machines; ++i) into.create(Scripted{{}, i, 2, 0, {}});
  };
}

}  // namespace ricercar::test
