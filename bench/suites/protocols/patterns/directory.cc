// Cache coherence with a directory, in the shape of the protocol of Steven German: the home node
// lends shared or exclusive copies of a line, and takes copies back before it lends what they
// exclude.
//
// bug=1: an exclusive copy is lent when the first of the sharers has given its copy back.
// bug=2: a request for a shared copy does not call an exclusive copy back.
#include <ricercar/machine.h>

#include <set>
#include <vector>

#include "../bugs.h"

namespace {

using ricercar::MachineId;
using ricercar::suite::bug;

struct Ask {
  MachineId cache;
  bool exclusively;
};
struct Grant {
  bool exclusive;
  int data;
};
struct Invalidate {};
struct GiveBack {
  MachineId cache;
  bool is_dirty;
  int data;
};

// For the monitor.
struct Got {
  MachineId cache;
  bool exclusively;
};
struct Dropped {
  MachineId cache;
};

struct Home : ricercar::Machine {
  int data = 0;
  std::set<MachineId> sharers;
  MachineId owner;
  Ask current{};
  std::set<MachineId> called_back;

  struct Idle;
  struct Calling;

  static void define(ricercar::Definition<Home>& machine) {
    machine.state<Idle>().on(&Home::ask).on(&Home::late);
    machine.state<Calling>().on(&Home::returned).defer<Ask>();
  }

  void ask(const Ask& ask) {
    current = ask;
    called_back.clear();
    if (owner && (ask.exclusively || !bug(2))) called_back.insert(owner);
    if (ask.exclusively) called_back.insert(sharers.begin(), sharers.end());
    if (called_back.empty()) return grant();
    go_to<Calling>();
    // The caches stay interchangeable: none is called before another.
    const ricercar::Sealed at_once;
    for (const MachineId cache : called_back) send(cache, Invalidate{});
  }

  void returned(const GiveBack& copy) {
    late(copy);
    if (!called_back.empty() && !bug(1)) return;
    grant();
    go_to<Idle>();
  }

  void late(const GiveBack& copy) {
    if (copy.is_dirty) data = copy.data;
    called_back.erase(copy.cache);
    sharers.erase(copy.cache);
    if (owner == copy.cache) owner = {};
  }

  void grant() {
    if (current.exclusively) {
      owner = current.cache;
    } else {
      sharers.insert(current.cache);
    }
    send(current.cache, Grant{current.exclusively, data});
  }
};

// Asks for copies again and again; an exclusive one is written to.
struct Cache : ricercar::Machine {
  MachineId home;
  int requests = 1;
  bool exclusive = false;
  int data = 0;

  struct Invalid;
  struct Waiting;
  struct Valid;
  struct Work {};

  static void define(ricercar::Definition<Cache>& machine) {
    machine.state<Invalid>().entry(&Cache::plan).on<Work>(&Cache::ask);
    machine.state<Waiting>().on(&Cache::granted).ignore<Work>();
    machine.state<Valid>().on<Invalidate>(&Cache::give_back).ignore<Work>();
  }

  void plan() {
    if (requests > 0) start_timer(Work{});
  }
  void ask() {
    --requests;
    go_to<Waiting>();
    send(home, Ask{self(), choose()});
  }
  void granted(const Grant& grant) {
    exclusive = grant.exclusive;
    data = grant.data + (exclusive ? 1 : 0);
    announce(Got{self(), exclusive});
    go_to<Valid>();
  }
  void give_back() {
    announce(Dropped{self()});
    send(home, GiveBack{self(), exclusive, data});
    go_to<Invalid>();
  }
};

// Who has an exclusive copy is alone.
struct Coherence : ricercar::Monitor {
  std::set<MachineId> holders;
  MachineId owner;

  struct Watching;

  static void define(ricercar::Definition<Coherence>& monitor) {
    monitor.state<Watching>().on(&Coherence::got).on(&Coherence::dropped);
  }

  void got(const Got& got) {
    require(!owner, "a copy was lent while somebody has an exclusive one");
    require(!got.exclusively || holders.empty(),
            "an exclusive copy was lent while others have one");
    holders.insert(got.cache);
    if (got.exclusively) owner = got.cache;
  }

  void dropped(const Dropped& dropped) {
    holders.erase(dropped.cache);
    if (owner == dropped.cache) owner = {};
  }
};

}  // namespace

int main(int count, char** arguments) {
  const ricercar::suite::Arguments sizes(count, arguments, {{"caches", 3}, {"requests", 1}});
  return ricercar::run_machines(1, arguments, [&sizes](ricercar::System& system) {
    system.monitor<Coherence>();
    const MachineId home = system.create(Home{});
    std::vector<MachineId> caches;
    for (int i = 0; i < sizes["caches"]; ++i) {
      caches.push_back(system.create(Cache{.home = home, .requests = sizes["requests"]}));
    }
    system.symmetric(caches);
  });
}
