// Deployment: machines that were searched by the checker, on real threads.
//
//   ricercar::Deployment deployment({.threads = 2});
//   const auto server = deployment.create(Server{});
//   deployment.create(Client{{}, server});
//   deployment.start();
//   deployment.wait_until_quiet();
//   for (const ricercar::Failure& failure : deployment.finish()) std::cerr << failure.message;
//
// The semantics are the checker's; what the search decides there is decided here by the threads, by
// the clock (timers) and by a random number (choose). A machine is run by one thread at a time. It
// handles its events in the order in which they were sent, as far as there is one; events from one
// machine to another keep their order.
//
// A handler that waits inside of receive() keeps its thread; another one is started in its place,
// up to `most_threads`. Machines that halt leave a few hundred bytes behind.
#pragma once

#include <ricercar/detail/encode.h>
#include <ricercar/machine.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ricercar {

struct Failure {
  // As in the checker's reports: "assertion", "property", "unhandled-event", "exception",
  // "deadlock". "usage": the program does what machines cannot do.
  std::string kind;
  std::string message;
  std::string machine;  // "Server#3"; or the name of a monitor
  MachineId id;         // nobody for a monitor
};

struct DeploymentOptions {
  unsigned threads = 0;          // that run at once; 0: one for each core
  unsigned most_threads = 1024;  // with those that wait inside of receive()
  std::uint64_t seed = 0;        // of choose(), for each machine; 0: another one every time
  bool stop_at_failure = true;   // false: only the machine or the monitor that failed stops
  std::function<void(const Failure&)> on_failure = {};  // called by the thread that found it
  std::string log_file = {};                            // see record(); empty: none
  std::string node = "local";                           // the name of this process in the log
};

namespace deploy {
class Gateway;
class Host;
}  // namespace deploy

class [[gnu::visibility("default")]] Deployment final : public System {
 public:
  explicit Deployment(DeploymentOptions options = {});
  ~Deployment();  // stops
  Deployment(const Deployment&) = delete;
  Deployment& operator=(const Deployment&) = delete;

  // Events of these types go to the log file when they are announced or sent to another machine
  // (ricercar/replay_logs.h). To be called before start().
  template <typename... E>
  void record() {
    (record_type(detail::codec<E>()), ...);
  }

  // Machines begin to run. What is created and sent before waits; monitors have to be there by now.
  void start();
  // True: no machine has anything to do, and no timer runs. False: the time is over. A deployment
  // that has stopped is quiet. Thread-safe, but not for handlers.
  bool wait_until_quiet(std::chrono::nanoseconds timeout = std::chrono::hours(24 * 365));
  // No handler runs afterwards; what was not handled is lost. Not for handlers.
  void stop();
  // Waits, stops, and adds what is wrong at the end: hot monitors, machines that wait in receive().
  std::vector<Failure> finish(std::chrono::nanoseconds timeout = std::chrono::hours(24 * 365));

  std::vector<Failure> failures() const;  // so far; thread-safe
  std::uint64_t handled() const;          // events so far; thread-safe

  // For ricercar/network.h: the deployment becomes one of several nodes, before it has machines;
  // and an event that came from another node, with the time at which it was sent there.
  void join(std::uint32_t node, deploy::Gateway & gateway);
  void deliver(MachineId to, detail::Event event, std::uint64_t time);
  MachineId create_machine(detail::ObjectRef machine) { return create_object(std::move(machine)); }

 private:
  MachineId create_object(detail::ObjectRef machine) override;
  void send_event(MachineId to, detail::Event event) override;
  void add_monitor(detail::ObjectRef monitor) override;
  void make_symmetric(const std::vector<MachineId>& machines) override;
  void record_type(const detail::Codec& codec);

  std::unique_ptr<deploy::Host> host_;
};

}  // namespace ricercar
