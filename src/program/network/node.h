// This node of a network: its socket, its links to other nodes, and what has come from them.
//
// One thread does all input and output. send() is thread-safe; what says "before the start" is for
// the thread that sets the network up; the rest runs on the network's thread.
#pragma once

#include <ricercar/detail/gateway.h>
#include <ricercar/network.h>

#include <asio.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "network/link.h"
#include "network/session.h"

namespace ricercar::network {

class Node final : public deploy::Gateway, private Receiver {
 public:
  Node(Deployment& deployment, NetworkOptions options);
  ~Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  // Before the start.
  void accept_type(const detail::Codec& codec);
  bool is_here(std::string_view node) const { return node == options_.node; }
  MachineId name_machine_on(std::string_view node);
  Deployment& deployment() { return deployment_; }
  std::uint16_t port() const { return acceptor_.local_endpoint().port(); }
  void set_address(std::string_view node, const std::string& host, std::uint16_t port);
  void start();

  // Thread-safe.
  void send(MachineId from, MachineId to, const detail::Event& event, std::uint64_t time) override;
  bool wait_until_delivered(std::chrono::nanoseconds timeout) const;
  std::uint64_t lost() const;
  void stop();

 private:
  struct Peer {
    std::string name;
    std::uint32_t machines = 0;  // that have been named
    std::shared_ptr<Link> link;  // null: this node itself
    // Of what comes from there.
    std::uint64_t incarnation = 0;
    std::uint64_t last_sequence = 0;
    Session* session = nullptr;
  };

  std::uint32_t number_of(std::string_view node) const;
  Peer* peer(const std::string& node);
  void listen();
  void accept();
  std::size_t most_sessions() const { return 4 * peers_.size() + 16; }

  std::optional<Welcome> greet(const Hello& hello, Session& session, std::string& mistake) override;
  const detail::Codec* codec_for(const EventName& event) const override;
  bool is_new(const std::string& node, std::uint64_t sequence) override;
  std::string deliver(MachineId to, detail::Event event, std::uint64_t time) override;
  void note(const std::string& what) override;
  void ended(Session& session) override;

  Deployment& deployment_;
  const NetworkOptions options_;
  const std::uint64_t incarnation_;
  std::uint32_t own_number_ = 0;

  std::vector<const detail::Codec*> codecs_;  // a type's number on the wire is its place here
  std::vector<std::int64_t> number_of_type_;  // by the number of the event type; -1: not accepted

  asio::io_context context_;
  asio::executor_work_guard<asio::io_context::executor_type> keep_running_;
  asio::ip::tcp::acceptor acceptor_;
  std::vector<Peer> peers_;  // by number
  std::set<std::shared_ptr<Session>> sessions_;
  std::thread thread_;
};

}  // namespace ricercar::network
