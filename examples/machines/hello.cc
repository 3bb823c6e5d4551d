// Two machines greet a third one; the order is up to the search.
#include <ricercar/machine.h>

struct Hello {
  int number = 0;
};

struct Greeter : ricercar::Machine {
  ricercar::MachineId friend_;
  int number = 0;

  struct Greeting;
  static void define(ricercar::Definition<Greeter>& machine) {
    machine.state<Greeting>().entry(&Greeter::greet);
  }
  void greet() { send(friend_, Hello{number}); }
};

struct Friend : ricercar::Machine {
  int last = 0;

  struct Listening;
  static void define(ricercar::Definition<Friend>& machine) {
    machine.state<Listening>().on(&Friend::hear);
  }
  void hear(const Hello& hello) {
    require(hello.number > last, "the second one came first");
    last = hello.number;
  }
};

int main(int argument_count, char** arguments) {
  return ricercar::run_machines(argument_count, arguments, [](ricercar::System& system) {
    const ricercar::MachineId listener = system.create(Friend{});
    system.create(Greeter{{}, listener, 1});
    system.create(Greeter{{}, listener, 2});
  });
}
