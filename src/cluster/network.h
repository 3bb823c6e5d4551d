// The network between the nodes of a cluster: sockets, connections, and messages on their way.
// Plain data in memory that all processes of the cluster share, so there is nothing virtual in it
// and pointers mean the same everywhere.
//
// A node opens sockets and sends; what it sends goes to a link, and the coordinator decides when
// the first message of a link arrives. One process runs at a time, so nothing is locked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/check.h"

namespace ricercar::inline cluster {

using EndpointId = std::uint32_t;
using LinkId = std::uint32_t;
inline constexpr std::uint32_t no_endpoint = ~std::uint32_t{0};
inline constexpr std::uint32_t no_link = ~std::uint32_t{0};
inline constexpr std::uint32_t no_node = ~std::uint32_t{0};
inline constexpr std::uint64_t no_step = ~std::uint64_t{0};

inline constexpr std::uint32_t max_nodes = 64;

// In the byte order of the machine. Node 0 has the addresses 10.77.0.1 and fd00:10:77::1. Each node
// has the addresses 127.x.x.x for itself alone, and so it has ::1. Those of version 6 are numbers
// here that no address of version 4 has.
struct SocketAddress {
  std::uint32_t host = 0;
  std::uint16_t port = 0;

  bool operator==(const SocketAddress&) const = default;
};
inline constexpr std::uint32_t first_host = 0x0a4d0001;
inline constexpr std::uint32_t any_host = 0;
inline constexpr std::uint32_t loopback = 0x7f000001;
inline constexpr std::uint32_t loopback_6 = 1;
inline constexpr std::uint32_t first_host_6 = 0x00060001;
constexpr std::uint32_t host_of(std::uint32_t node) { return first_host + node; }
constexpr std::uint32_t host_6_of(std::uint32_t node) { return first_host_6 + node; }
constexpr bool is_version_6(std::uint32_t host) {
  return host == loopback_6 || (host >= first_host_6 && host < first_host_6 + max_nodes);
}
// Of an address that is not of the node itself; no node may have the number.
constexpr std::uint32_t node_at(std::uint32_t host) {
  return host - (is_version_6(host) ? first_host_6 : first_host);
}
constexpr bool is_loopback(std::uint32_t host) {
  return host >> 24 == loopback >> 24 || host == loopback_6;
}

// What the messages of an execution take, all of them given back at once when the next one begins.
class MessageMemory {
 public:
  void use(unsigned char* memory, std::size_t size) { memory_ = memory, size_ = size, used_ = 0; }
  void clear() { used_ = 0; }
  // Null: it is full.
  void* take(std::size_t size);

 private:
  unsigned char* memory_ = nullptr;
  std::size_t size_ = 0;
  std::size_t used_ = 0;
};

// The same for one link in every execution, whatever the order of what commutes: the node whose
// call has made it, or the way of which it is the way back, and a number.
struct LinkName {
  std::uint32_t node = no_node;
  std::uint32_t number = 0;

  auto operator<=>(const LinkName&) const = default;
};

struct Message {
  enum Kind : std::uint8_t {
    connect,  // to a listening socket
    data,     // of a stream
    end,      // of a stream: nothing more comes
    reset,    // the connection is gone
    datagram,
  };

  Message* next;
  unsigned char* bytes;
  std::uint32_t size;
  Kind kind;
  SocketAddress from;
  SocketAddress to;
  std::uint64_t sent_at;     // by the clock of its sender
  std::uint64_t sent_step;   // so many steps its sender had made; no_step: it has come by itself
  std::uint64_t sent_event;  // the coordinator's: the event that was told of it; 0: none
  std::uint32_t number;      // on its link, from 0 on
};

// Messages in the order in which they were put in.
class MessageQueue {
 public:
  bool empty() const { return first_ == nullptr; }
  const Message* front() const { return first_; }
  bool has_two() const { return first_ != nullptr && first_->next != nullptr; }
  Message* pop();
  void push(Message* message);
  void push_front(Message* message);
  template <typename Function>
  void for_each(Function function) {
    for (Message* each = first_; each != nullptr; each = each->next) function(*each);
  }
  // So many bytes of the first one have been taken.
  void shorten(std::uint32_t bytes) {
    first_->bytes += bytes;
    first_->size -= bytes;
  }

 private:
  Message* first_ = nullptr;
  Message* last_ = nullptr;
};

// The way from a socket to another one. It keeps the order.
struct Link {
  std::uint32_t from = no_node;
  std::uint32_t to = no_node;
  EndpointId source = no_endpoint;
  EndpointId target = no_endpoint;  // of a stream, once it is connected
  SocketAddress address;            // where it leads to
  MessageQueue messages;            // on their way
  bool is_held = false;             // they take long
  LinkName name;
  std::uint32_t sent = 0;        // messages
  std::uint64_t sent_bytes = 0;  // of a stream
};

// What somebody has touched that others may touch, too, besides the sockets of one node.
struct Touched {
  enum What : std::uint8_t {
    message,      // was sent
    unread,       // so much was sent or read
    unread_seen,  // how much was sent and not read was looked at
  };
  What what;
  LinkName link;
  std::uint32_t number = 0;  // of the message
};

enum class EndpointState : std::uint8_t { fresh, listening, connecting, connected, failed, closed };

struct Endpoint {
  std::uint32_t node = no_node;
  EndpointState state = EndpointState::fresh;
  bool is_datagram = false;
  bool has_host = false;   // its owner has said from which address it sends
  bool has_port = false;   // and at which port it is
  bool takes_4 = true;     // from addresses of version 4
  bool takes_6 = false;    // of version 6
  bool was_shut = false;   // by its owner, for writing
  bool is_abrupt = false;  // closing it resets the connection
  bool has_ended = false;  // nothing more comes: the other side has ended, and that has arrived
  bool changed = false;    // something has arrived that its node has not looked at
  int error = 0;           // a number of errno, for who asks next
  SocketAddress local;
  SocketAddress remote;
  EndpointId peer = no_endpoint;
  LinkId out = no_link;                    // of a stream
  std::uint32_t backlog = 0;               // listening: so many may wait
  std::uint32_t waiting = 0;               // so many do
  EndpointId first_waiting = no_endpoint;  // connections that nobody has accepted
  EndpointId last_waiting = no_endpoint;
  EndpointId next_waiting = no_endpoint;  // behind this one
  MessageQueue arrived;                   // not handed to the program yet
  std::uint64_t unread = 0;               // bytes that were sent to it and not read by it
};

// All functions that can fail return 0 or a number of errno.
class Network {
 public:
  // Bytes that a stream takes before its sender has to wait.
  static constexpr std::uint64_t room = 256 << 10;
  // Ports that a socket gets by itself begin here.
  static constexpr std::uint16_t first_own_port = 32768;

  void use(unsigned char* memory, std::size_t size) { memory_.use(memory, size); }
  // The time of the node that sends from now on, and how many steps it has made.
  void set_time(std::uint64_t now, std::uint64_t step) { now_ = now, step_ = step; }
  void begin_execution(std::uint32_t nodes);

  // --- For a node. ---

  EndpointId open(std::uint32_t node, bool is_datagram);
  int bind(EndpointId id, SocketAddress address);
  int listen(EndpointId id, std::uint32_t backlog);
  // A stream: EINPROGRESS, because the other side has not answered yet.
  int connect(EndpointId id, SocketAddress address);
  // no_endpoint: nobody waits.
  EndpointId accept(EndpointId id);
  bool has_room(EndpointId id) const;
  // Somebody of the node has the address.
  bool is_bound(std::uint32_t node, SocketAddress address, bool is_datagram) const {
    return bound_to(node, address, is_datagram) != no_endpoint;
  }
  // All of the bytes, to the other end of a stream or to `to`.
  int send(EndpointId id, std::span<const std::span<const unsigned char>> parts,
           SocketAddress to = {});
  // It sends nothing more.
  int shut_down(EndpointId id);
  void close(EndpointId id);
  void was_read(EndpointId id, std::uint64_t bytes);
  // All that had arrived was read.
  void was_read(EndpointId id);
  Endpoint& operator[](EndpointId id) { return endpoints_[check(id)]; }
  const Endpoint& operator[](EndpointId id) const { return endpoints_[check(id)]; }
  std::uint32_t endpoint_count() const { return endpoint_count_; }

  // --- For the coordinator. ---

  std::uint32_t link_count() const { return link_count_; }
  const Link& link(LinkId id) const { return links_[id]; }
  // A request for a connection waits until the listener has room for it; what is held, or would
  // have to cross a cut, waits too.
  bool can_deliver(LinkId id) const;
  // Something has arrived at the socket that its node could read, or accept.
  bool has_arrived(EndpointId id) const {
    const Endpoint& endpoint = (*this)[id];
    return !endpoint.arrived.empty() || endpoint.has_ended || endpoint.waiting > 0 ||
           endpoint.state == EndpointState::failed || endpoint.error != 0;
  }
  // Nothing will ever be on it again.
  bool is_over(LinkId id) const;
  // Whether anything of the node can be reached: it listens, or is bound.
  bool is_reachable(std::uint32_t node) const;
  // The first message of the link arrives, or is lost.
  void deliver(LinkId id);
  void drop(LinkId id);
  // The first message, a datagram, comes twice, or after the second.
  void duplicate(LinkId id);
  void reorder(LinkId id);
  // What is on the link takes long: until what goes to a node, and comes from it, is released.
  void hold(LinkId id) { links_[id].is_held = true; }
  void release(std::uint32_t node);
  // True: something was held.
  bool release_all();
  // Nothing gets from one node to the other: a stream waits, datagrams are lost.
  void cut(std::uint32_t from, std::uint32_t to) { cut_[from] |= std::uint64_t{1} << to; }
  bool is_cut(std::uint32_t from, std::uint32_t to) const { return (cut_[from] >> to & 1) != 0; }
  bool has_cuts() const;
  void heal();
  // The first message of the link is a datagram whose sender will learn that nobody has the port.
  bool will_refuse(LinkId id) const;
  // The node is gone, and so are its sockets: their peers learn it when that arrives.
  void crash(std::uint32_t node);
  // Something has changed that is not in the network, as a lock of a file.
  void ask_all_to_look();
  void ask_to_look(std::uint32_t node) { changed_nodes_ |= std::uint64_t{1} << node; }
  // Nodes at which something has changed since the last call, as bits.
  std::uint64_t take_changed_nodes();
  // How many messages with bytes, from node to node.
  std::uint64_t sent(std::uint32_t from, std::uint32_t to) const { return sent_[from][to]; }
  std::uint64_t delivered(std::uint32_t from, std::uint32_t to) const {
    return delivered_[from][to];
  }
  // Calls function(Message&) for those of a node that are on their way.
  template <typename Function>
  void for_each_on_its_way(std::uint32_t from, Function function) {
    for (LinkId id = 0; id < link_count_; ++id) {
      if (links_[id].from == from) links_[id].messages.for_each(function);
    }
  }
  // More was sent, or opened, than there is room for: what was sent last is lost.
  bool is_full() const { return is_full_; }
  // What was touched since it was forgotten last, if anybody wants to know. More than there is
  // room for makes the network full.
  void note_touched(bool wanted) { notes_touched_ = wanted; }
  std::span<const Touched> touched() const { return {touched_, touched_count_}; }
  void forget_touched() { touched_count_ = 0; }

 private:
  static constexpr std::uint32_t most_endpoints = 4096;
  static constexpr std::uint32_t most_links = 8192;
  static constexpr std::uint32_t most_touched = 4096;
  // From so many on those that are over are used again.
  static constexpr std::uint32_t few_endpoints = 512;
  static constexpr std::uint32_t few_links = 256;

  EndpointId check(EndpointId id) const {
    RICERCAR_CHECK(id < endpoint_count_);
    return id;
  }
  std::uint32_t node_of(std::uint32_t sender, SocketAddress address) const;
  static SocketAddress source_of(const Endpoint& endpoint, SocketAddress to);
  EndpointId bound_to(std::uint32_t node, SocketAddress address, bool is_datagram) const;
  bool is_taken(const Endpoint& endpoint, SocketAddress address) const;
  void bind_anywhere(Endpoint& endpoint, std::uint32_t host);
  bool is_closed(EndpointId id) const { return (*this)[id].state == EndpointState::closed; }
  EndpointId endpoint_to_use_again();
  LinkId link_to_use_again();
  void forget(LinkId id);
  LinkId new_link(EndpointId source, SocketAddress to, const LinkName* name = nullptr);
  void touch(const Touched& touched);
  void touch_unread(EndpointId reader, Touched::What what);
  LinkId datagram_link(EndpointId source, SocketAddress to);
  Message* put(LinkId link, Message::Kind kind, std::size_t size = 0);
  void change(Endpoint& endpoint);
  void connect_arrives(Link& link, const Message& message);
  void refuse(Endpoint& endpoint);
  void stream_arrives(Link& link, Message* message);
  void datagram_arrives(const Link& link, Message* message);

  MessageMemory memory_;
  std::uint32_t nodes_ = 0;
  std::uint32_t endpoint_count_ = 0;
  std::uint32_t link_count_ = 0;
  std::uint64_t changed_nodes_ = 0;
  std::uint64_t now_ = 0;
  std::uint64_t step_ = no_step;
  bool is_full_ = false;
  bool notes_touched_ = false;
  std::uint32_t touched_count_ = 0;
  std::uint32_t next_link_[max_nodes] = {};
  std::uint16_t next_port_[max_nodes] = {};
  std::uint64_t cut_[max_nodes] = {};  // by sender: the receivers, as bits
  std::uint64_t sent_[max_nodes][max_nodes] = {};
  std::uint64_t delivered_[max_nodes][max_nodes] = {};
  Endpoint endpoints_[most_endpoints];
  Link links_[most_links];
  Touched touched_[most_touched];
};

}  // namespace ricercar::inline cluster
