// A lock with a lease: the service takes it back when the lease is over, although the holder may
// only be slow. What a slow holder writes after that must not reach the store: every lease has a
// number, and the store refuses writes with a lower number than it has seen (a fencing token).
//
// bug=1: the store does not look at the number: the write of an old holder comes after a newer one.
// bug=2: the service counts a lease only when it is given back, so one that ran out is numbered
// like the
//        next one, and the store cannot tell the holders apart.
#include <ricercar/machine.h>

#include <algorithm>
#include <vector>

#include "../bugs.h"

namespace {

using ricercar::MachineId;
using ricercar::suite::bug;

struct Acquire {
  MachineId client;
};
struct Granted {
  int lease;
};
struct Release {
  int lease;
};
struct Write {
  MachineId client;
  int lease;
  int value;
};
struct Answer {
  bool accepted;
};

// For the monitor.
struct Given {
  MachineId client;
};
struct Stored {
  MachineId client;
};

struct Service : ricercar::Machine {
  std::vector<MachineId> waiting;
  int lease = 0;

  struct Free;
  struct Held;
  struct Expired {
    int lease;
  };

  static void define(ricercar::Definition<Service>& machine) {
    machine.state<Free>().entry(&Service::next).on(&Service::give).ignore<Release, Expired>();
    machine.state<Held>().on(&Service::wait).on(&Service::release).on(&Service::expired);
  }

  void next() {
    if (waiting.empty()) return;
    const MachineId client = waiting.front();
    waiting.erase(waiting.begin());
    give(Acquire{client});
  }

  void give(const Acquire& request) {
    if (!bug(2) || lease == 0) ++lease;
    start_timer(Expired{lease});
    announce(Given{request.client});
    send(request.client, Granted{lease});
    go_to<Held>();
  }

  void wait(const Acquire& request) { waiting.push_back(request.client); }

  void release(const Release& release) {
    if (release.lease != lease) return;
    stop_timer<Expired>();
    if (bug(2)) ++lease;
    go_to<Free>();
  }

  void expired(const Expired& expiry) {
    if (expiry.lease == lease) go_to<Free>();
  }
};

struct Store : ricercar::Machine {
  int highest = 0;
  int value = 0;

  struct Serving;

  static void define(ricercar::Definition<Store>& machine) {
    machine.state<Serving>().on(&Store::write);
  }

  void write(const Write& write) {
    if (write.lease < highest && !bug(1)) return send(write.client, Answer{false});
    highest = std::max(highest, write.lease);
    value = write.value;
    announce(Stored{write.client});
    send(write.client, Answer{true});
  }
};

struct Client : ricercar::Machine {
  MachineId service;
  MachineId store;
  int writes = 1;
  int lease = 0;

  struct Working;

  static void define(ricercar::Definition<Client>& machine) {
    machine.state<Working>()
        .entry(&Client::begin)
        .on(&Client::granted)
        .on<Answer>(&Client::answered);
  }

  void begin() {
    if (writes > 0) send(service, Acquire{self()});
  }
  void granted(const Granted& grant) {
    lease = grant.lease;
    send(store, Write{self(), lease, writes});
  }
  void answered() {
    send(service, Release{lease});
    --writes;
    begin();
  }
};

// Nobody writes any more once a later holder has written.
struct InOrder : ricercar::Monitor {
  std::vector<MachineId> holders;  // in order, without those that are overtaken

  struct Watching;

  static void define(ricercar::Definition<InOrder>& monitor) {
    monitor.state<Watching>().on(&InOrder::given).on(&InOrder::stored);
  }

  void given(const Given& given) { holders.push_back(given.client); }

  void stored(const Stored& stored) {
    const auto holder = std::find(holders.begin(), holders.end(), stored.client);
    require(holder != holders.end(), "a write comes after that of a later holder");
    holders.erase(holders.begin(), holder + 1);
  }
};

}  // namespace

int main(int count, char** arguments) {
  const ricercar::suite::Arguments sizes(count, arguments, {{"clients", 2}, {"writes", 1}});
  return ricercar::run_machines(1, arguments, [&sizes](ricercar::System& system) {
    system.monitor<InOrder>();
    const MachineId service = system.create(Service{});
    const MachineId store = system.create(Store{});
    for (int i = 0; i < sizes["clients"]; ++i) {
      system.create(Client{.service = service, .store = store, .writes = sizes["writes"]});
    }
  });
}
