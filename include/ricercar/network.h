// Machines on several nodes: processes, on one computer or on many, that are connected by TCP.
//
//   ricercar::Deployment deployment;
//   ricercar::Network network(deployment, {.node = "a", .nodes = {{"a", "10.0.0.1", 7000},
//                                                                 {"b", "10.0.0.2", 7000}}});
//   network.accepts<Prepare, Vote>();
//   const auto server = network.create_on("b", Server{});
//   network.create_on("a", Client{{}, server});
//   network.start();
//   deployment.start();
//
// Every node runs the same code: create_on makes a machine on its own node and only names it
// elsewhere, so that all nodes agree on the MachineIds. They may be kept in machines and sent in
// events. Machines that machines create live on the node of their creator.
//
// What is promised: an event arrives at most once; events from one machine to another arrive in the
// order in which they were sent; a connection that breaks is made again, and nothing is lost. What
// is not: events that could not be handed over for `give_up_after` are lost, and so are events that
// were on their way to a node when it died, and those that `most_waiting_bytes` has no room for. A
// node that is started again is a new one with the old name. Monitors see only what happens on
// their node; for all nodes together there are logs (ricercar/replay_logs.h).
//
// Nodes trust each other: whoever can connect can send. Use it in a network of your own.
#pragma once

#include <ricercar/deploy.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ricercar {

struct NodeAddress {
  std::string name;
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;  // of this node: 0 for any that is free
};

struct NetworkOptions {
  std::string node;                // this one
  std::vector<NodeAddress> nodes;  // all of them, in the same order everywhere; at most 255
  std::chrono::milliseconds give_up_after = std::chrono::seconds(10);
  std::chrono::milliseconds retry_every = std::chrono::milliseconds(100);
  std::size_t largest_frame = std::size_t{16} << 20;
  std::size_t most_waiting_bytes = std::size_t{64} << 20;  // for each node
  // Connections that break, frames that are refused. Called by the network's thread. Without it:
  // lines on standard error.
  std::function<void(const std::string&)> on_note = {};
};

namespace network {
class Node;
}

class [[gnu::visibility("default")]] Network final {
 public:
  // Listens at once. The deployment has no machines yet, and outlives the network.
  Network(Deployment & deployment, NetworkOptions options);
  ~Network();  // stops the deployment, too: its machines could not send any more
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  // Events of these types may be sent to other nodes and received from them. A type that the sender
  // or the receiver does not accept, or that has other fields there, is an error of the sender.
  template <typename... E>
  void accepts() {
    (accept_type(detail::codec<E>()), ...);
  }

  // The same calls in the same order on every node, before start().
  template <typename M>
  MachineId create_on(std::string_view node, M && machine) {
    if (!is_here(node)) return name_machine_on(node);
    return own_machine(detail::make_object(std::forward<M>(machine)));
  }

  std::uint16_t port() const;  // of this node
  void set_address(std::string_view node, const std::string& host, std::uint16_t port);

  void start();
  // True: every event has arrived at its node, or was lost. False: the time is over.
  bool wait_until_delivered(std::chrono::nanoseconds timeout);
  std::uint64_t lost() const;  // events so far; thread-safe
  void stop();

 private:
  void accept_type(const detail::Codec& codec);
  bool is_here(std::string_view node) const;
  MachineId name_machine_on(std::string_view node);
  MachineId own_machine(detail::ObjectRef machine);

  std::unique_ptr<network::Node> node_;
};

}  // namespace ricercar
