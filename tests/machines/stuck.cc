// A machine whose handler does not come back: it blocks (1), loops (2), or sends for ever (3).
#include <ricercar/machine.h>
#include <unistd.h>

#include <cstdlib>

struct Go {};

struct Stuck : ricercar::Machine {
  int way = 0;
  struct Only;
  static void define(ricercar::Definition<Stuck>& machine) {
    machine.state<Only>().on<Go>(&Stuck::go);
  }
  void go() {
    if (way == 1) ::pause();
    volatile int turns = 0;
    while (way == 2) turns = turns + 1;
    send(self(), Go{});
  }
};

int main(int argument_count, char** arguments) {
  const int way = argument_count > 1 ? std::atoi(arguments[1]) : 1;
  return ricercar::run_machines(argument_count, arguments, [way](ricercar::System& system) {
    system.send(system.create(Stuck{{}, way}), Go{});
  });
}
