// A replica of a list that clients append to and read, by Raft over TCP: one thread and an epoll
// loop.
//
//   raft_node --name=n1 --peers=n2,n3
//
// A client sends lines: "append CLIENT NUMBER WORD" is answered by "ok", "get CLIENT NUMBER" by
// "list WORDS". A replica that does not lead answers "leader NAME", or "leader ?".
#include <sys/epoll.h>

#include <chrono>
#include <memory>
#include <random>

#include "consensus.h"

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::uint16_t peer_port = 7400;
constexpr std::uint16_t client_port = 7500;
constexpr milliseconds heartbeat_interval(50);

milliseconds election_interval() {
  static std::random_device random;
  return milliseconds(150 + random() % 150);
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

// The list, and what each client has done last. A command is CLIENT:NUMBER:WORD, without a word to
// read.
class List {
 public:
  struct Result {
    std::uint64_t number = 0;
    std::string answer;
  };

  void apply(const std::string& command) {
    const std::vector<std::string> parts = split(command, ':');
    Result& last = results_[parts[0]];
    const std::uint64_t number = std::stoull(parts[1]);
    const bool is_new = number > last.number || suite::has_bug("applies_twice");
    if (!is_new) return;
    if (parts.size() > 2) words_ += (words_.empty() ? "" : ",") + parts[2];
    last = {number, parts.size() > 2 ? "ok" : content()};
  }

  const Result& last(const std::string& client) { return results_[client]; }
  std::string content() const { return "list " + words_; }

 private:
  std::string words_;
  std::map<std::string, Result> results_;
};

// A connection that somebody else has opened: a client's, or a peer's that sends to this replica.
struct Connection {
  suite::Socket socket;
  suite::Lines lines;
  bool is_peer = false;
  // What a client waits for.
  std::string client;
  std::uint64_t number = 0;
  bool waits = false;
};

// The way to a peer. What cannot be sent is lost; Raft sends it again.
struct Peer {
  suite::Socket socket;
  bool is_connecting = false;
};

class Replica {
 public:
  Replica(const std::string& name, const std::vector<std::string>& peers)
      : consensus_(name, peers),
        queue_(::epoll_create1(EPOLL_CLOEXEC)),
        peer_listener_(suite::listening(peer_port)),
        client_listener_(suite::listening(client_port)),
        election_(Clock::now() + election_interval()) {
    watch(peer_listener_.number(), EPOLLIN);
    watch(client_listener_.number(), EPOLLIN);
    for (const std::string& peer : peers) addresses_[peer] = suite::address_of(peer, peer_port);
  }

  [[noreturn]] void run() {
    for (;;) {
      wait();
      look_at_clock();
      send_outgoing();
      apply_committed();
    }
  }

 private:
  void watch(int number, std::uint32_t events) {
    epoll_event event = {};
    event.events = events;
    event.data.fd = number;
    if (::epoll_ctl(queue_, EPOLL_CTL_ADD, number, &event) != 0) suite::die("epoll_ctl");
  }

  void wait() {
    const Clock::time_point next = consensus_.role() == raft::Role::leader ? heartbeat_ : election_;
    const auto left = std::chrono::ceil<milliseconds>(next - Clock::now());
    epoll_event events[16];
    const int limit = static_cast<int>(std::max<std::int64_t>(0, left.count()));
    const int count = ::epoll_wait(queue_, events, 16, limit);
    if (count < 0 && errno != EINTR) suite::die("epoll_wait");
    for (int i = 0; i < count; ++i) serve(events[i].data.fd, events[i].events);
  }

  void serve(int number, std::uint32_t events) {
    if (number == peer_listener_.number()) return take_connection(number, true);
    if (number == client_listener_.number()) return take_connection(number, false);
    for (auto& [name, peer] : peers_) {
      if (peer.socket.number() == number) return peer_changed(peer, events);
    }
    const auto found = connections_.find(number);
    if (found != connections_.end()) read(*found->second);
  }

  void take_connection(int listener, bool is_peer) {
    const int number = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (number < 0) return;
    auto connection = std::make_unique<Connection>();
    connection->socket = suite::Socket(number);
    connection->is_peer = is_peer;
    connections_[number] = std::move(connection);
    watch(number, EPOLLIN);
  }

  void read(Connection& connection) {
    char bytes[4096];
    const ssize_t size = ::recv(connection.socket.number(), bytes, sizeof bytes, 0);
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (size <= 0) {
      connections_.erase(connection.socket.number());
      return;
    }
    connection.lines.add(bytes, static_cast<std::size_t>(size));
    while (const auto line = connection.lines.next()) {
      if (connection.is_peer) {
        consensus_.deliver(*line);
      } else {
        serve_client(connection, *line);
      }
    }
  }

  // --- Clients ---

  void serve_client(Connection& connection, const std::string& line) {
    std::istringstream words(line);
    std::string what;
    std::string word;
    words >> what >> connection.client >> connection.number >> word;
    if (consensus_.role() != raft::Role::leader) {
      const std::string& leader = consensus_.leader();
      suite::send_line(connection.socket.number(), "leader " + (leader.empty() ? "?" : leader));
      return;
    }
    if (what == "get" && suite::has_bug("stale_read")) {
      suite::send_line(connection.socket.number(), list_.content());
      return;
    }
    connection.waits = true;
    const std::string command = connection.client + ":" + std::to_string(connection.number);
    consensus_.propose(what == "get" ? command : command + ":" + word);
  }

  void apply_committed() {
    while (applied_ < consensus_.commit()) list_.apply(consensus_.entry(++applied_).command);
    for (auto& [number, connection] : connections_) answer(*connection);
  }

  void answer(Connection& connection) {
    if (!connection.waits) return;
    const List::Result& last = list_.last(connection.client);
    if (last.number == connection.number) {
      connection.waits = false;
      suite::send_line(connection.socket.number(), last.answer);
    } else if (consensus_.role() != raft::Role::leader) {
      connection.waits = false;
      suite::send_line(connection.socket.number(), "leader ?");
    }
  }

  // --- Peers ---

  void peer_changed(Peer& peer, std::uint32_t events) {
    if ((events & EPOLLOUT) != 0 && peer.is_connecting) {
      int error = 0;
      socklen_t size = sizeof error;
      ::getsockopt(peer.socket.number(), SOL_SOCKET, SO_ERROR, &error, &size);
      if (error == 0) {
        peer.is_connecting = false;
        epoll_event event = {};
        event.events = EPOLLIN;
        event.data.fd = peer.socket.number();
        ::epoll_ctl(queue_, EPOLL_CTL_MOD, peer.socket.number(), &event);
        return;
      }
    }
    peer.socket.close();  // a peer never sends here: it has gone
    peer.is_connecting = false;
  }

  void begin_to_connect(Peer& peer, const sockaddr_in& address) {
    peer.socket = suite::Socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!peer.socket.is_open()) suite::die("socket");
    const int result = ::connect(peer.socket.number(), reinterpret_cast<const sockaddr*>(&address),
                                 sizeof address);
    if (result != 0 && errno != EINPROGRESS) {
      peer.socket.close();
      return;
    }
    peer.is_connecting = result != 0;
    watch(peer.socket.number(), peer.is_connecting ? EPOLLOUT | EPOLLIN : EPOLLIN);
  }

  void send_outgoing() {
    for (const raft::Outgoing& each : consensus_.take_outgoing()) {
      Peer& peer = peers_[each.to];
      if (!peer.socket.is_open()) begin_to_connect(peer, addresses_[each.to]);
      if (!peer.socket.is_open() || peer.is_connecting) continue;
      if (!suite::send_line(peer.socket.number(), each.line)) peer.socket.close();
    }
  }

  // --- Time ---

  void look_at_clock() {
    const Clock::time_point now = Clock::now();
    if (consensus_.take_heard()) election_ = now + election_interval();
    if (consensus_.role() == raft::Role::leader) {
      if (now < heartbeat_) return;
      consensus_.heartbeat_time_is_over();
      heartbeat_ = now + heartbeat_interval;
    } else if (now >= election_) {
      consensus_.election_time_is_over();
      election_ = now + election_interval();
    }
  }

  raft::Consensus consensus_;
  List list_;
  std::uint64_t applied_ = 0;
  int queue_;
  suite::Socket peer_listener_;
  suite::Socket client_listener_;
  std::map<int, std::unique_ptr<Connection>> connections_;
  std::map<std::string, Peer> peers_;
  std::map<std::string, sockaddr_in> addresses_;
  Clock::time_point election_;
  Clock::time_point heartbeat_ = {};
};

}  // namespace

int main(int count, char** arguments) {
  suite::read_bug(count, arguments);
  const std::string name(suite::option(count, arguments, "name", ""));
  const std::string peers(suite::option(count, arguments, "peers", ""));
  Replica(name, split(peers, ',')).run();
}
