#include "cluster/network.h"

#include <errno.h>

#include <algorithm>
#include <utility>

namespace ricercar::inline cluster {
namespace {

constexpr std::size_t largest_datagram = 65507;

// To send to no particular address is to send to the own node.
SocketAddress as_target(SocketAddress address) {
  return {address.host == any_host ? loopback : address.host, address.port};
}

// Whether a socket with one of the addresses takes what is sent to the other.
bool meet(SocketAddress one, SocketAddress other) {
  const bool is_same = one.host == other.host || one.host == any_host || other.host == any_host;
  return is_same && one.port == other.port;
}

}  // namespace

void* MessageMemory::take(std::size_t size) {
  size = (size + 15) / 16 * 16;
  if (size > size_ - used_) return nullptr;
  used_ += size;
  return memory_ + used_ - size;
}

Message* MessageQueue::pop() {
  Message* message = first_;
  first_ = message->next;
  if (first_ == nullptr) last_ = nullptr;
  message->next = nullptr;
  return message;
}

void MessageQueue::push(Message* message) {
  (first_ == nullptr ? first_ : last_->next) = message;
  last_ = message;
}

void MessageQueue::push_front(Message* message) {
  message->next = first_;
  first_ = message;
  if (last_ == nullptr) last_ = message;
}

void Network::begin_execution(std::uint32_t nodes) {
  nodes_ = nodes;
  endpoint_count_ = link_count_ = 0;
  changed_nodes_ = 0;
  touched_count_ = 0;
  is_full_ = false;
  memory_.clear();
  std::fill(next_port_, next_port_ + max_nodes, first_own_port);
  std::fill(next_link_, next_link_ + max_nodes, 0);
  heal();
  for (std::uint32_t i = 0; i < nodes; ++i) {
    std::fill(sent_[i], sent_[i] + nodes, 0);
    std::fill(delivered_[i], delivered_[i] + nodes, 0);
  }
}

// --- Addresses ---

std::uint32_t Network::node_of(std::uint32_t sender, SocketAddress address) const {
  if (is_loopback(address.host)) return sender;
  const std::uint32_t node = node_at(address.host);
  return node < nodes_ ? node : no_node;
}

// Who is not bound to one address sends from the one that is on the way.
SocketAddress Network::source_of(const Endpoint& endpoint, SocketAddress to) {
  if (endpoint.local.host != any_host) return endpoint.local;
  const std::uint32_t own = to.host == loopback_6   ? loopback_6
                            : is_loopback(to.host)  ? loopback
                            : is_version_6(to.host) ? host_6_of(endpoint.node)
                                                    : host_of(endpoint.node);
  return {own, endpoint.local.port};
}

EndpointId Network::bound_to(std::uint32_t node, SocketAddress address, bool is_datagram) const {
  for (EndpointId id = 0; id < endpoint_count_; ++id) {
    const Endpoint& each = endpoints_[id];
    const bool is_open = each.state != EndpointState::closed && each.is_datagram == is_datagram;
    // Connections share the port of the socket that listened.
    const bool is_own = each.node == node && (is_datagram || each.peer == no_endpoint);
    const bool takes = is_version_6(address.host) ? each.takes_6 : each.takes_4;
    if (is_open && is_own && takes && meet(each.local, address)) return id;
  }
  return no_endpoint;
}

bool Network::is_taken(const Endpoint& endpoint, SocketAddress address) const {
  for (EndpointId id = 0; id < endpoint_count_; ++id) {
    const Endpoint& each = endpoints_[id];
    const bool is_open =
        each.state != EndpointState::closed && each.is_datagram == endpoint.is_datagram;
    const bool is_own =
        each.node == endpoint.node && (each.is_datagram || each.peer == no_endpoint);
    const bool share_version =
        (each.takes_4 && endpoint.takes_4) || (each.takes_6 && endpoint.takes_6);
    if (is_open && is_own && share_version && meet(each.local, address)) return true;
  }
  return false;
}

void Network::bind_anywhere(Endpoint& endpoint, std::uint32_t host) {
  SocketAddress address{host, 0};
  do {
    address.port = next_port_[endpoint.node]++;
  } while (is_taken(endpoint, {any_host, address.port}));
  endpoint.local = address;
}

// --- What a node does ---

EndpointId Network::open(std::uint32_t node, bool is_datagram) {
  EndpointId id = endpoint_count_ < few_endpoints ? no_endpoint : endpoint_to_use_again();
  if (id == no_endpoint) {
    if (endpoint_count_ == most_endpoints) {
      is_full_ = true;
      return no_endpoint;
    }
    id = endpoint_count_++;
  }
  Endpoint& endpoint = endpoints_[id] = {};
  endpoint.node = node;
  endpoint.is_datagram = is_datagram;
  return id;
}

// One that is closed and that no link leads to or comes from any more.
EndpointId Network::endpoint_to_use_again() {
  for (EndpointId id = 0; id < endpoint_count_; ++id) {
    if (!is_closed(id)) continue;
    const LinkId out = endpoints_[id].out;
    if (out != no_link && is_over(out)) forget(out);
    const bool is_used = std::any_of(links_, links_ + link_count_, [id](const Link& each) {
      return each.source == id || each.target == id;
    });
    if (!is_used) return id;
  }
  return no_endpoint;
}

int Network::bind(EndpointId id, SocketAddress address) {
  Endpoint& endpoint = (*this)[id];
  if (endpoint.local.port != 0) return EINVAL;
  const bool is_own = address.host == any_host || is_loopback(address.host) ||
                      address.host == host_of(endpoint.node) ||
                      address.host == host_6_of(endpoint.node);
  if (!is_own) return EADDRNOTAVAIL;
  endpoint.has_host = address.host != any_host;
  if (address.port == 0) {
    bind_anywhere(endpoint, address.host);
    return 0;
  }
  if (is_taken(endpoint, address)) return EADDRINUSE;
  endpoint.has_port = true;
  endpoint.local = address;
  return 0;
}

int Network::listen(EndpointId id, std::uint32_t backlog) {
  Endpoint& endpoint = (*this)[id];
  if (endpoint.is_datagram) return EOPNOTSUPP;
  if (endpoint.state != EndpointState::fresh && endpoint.state != EndpointState::listening) {
    return EINVAL;
  }
  if (endpoint.local.port == 0) bind_anywhere(endpoint, any_host);
  endpoint.state = EndpointState::listening;
  endpoint.backlog = std::max<std::uint32_t>(backlog, 1);
  return 0;
}

int Network::connect(EndpointId id, SocketAddress address) {
  Endpoint& endpoint = (*this)[id];
  const SocketAddress to = as_target(address);
  const std::uint32_t node = node_of(endpoint.node, to);
  const auto choose_source = [&] {
    if (endpoint.local.port == 0) bind_anywhere(endpoint, any_host);
    if (!endpoint.has_host) endpoint.local.host = any_host;
    endpoint.local = source_of(endpoint, to);
  };
  if (endpoint.is_datagram) {
    if (node == no_node) return ENETUNREACH;
    choose_source();
    endpoint.remote = to;
    return 0;
  }
  if (endpoint.state == EndpointState::connecting) return EALREADY;
  if (endpoint.state == EndpointState::connected) return EISCONN;
  if (endpoint.state == EndpointState::listening) return EISCONN;
  if (node == no_node) return ENETUNREACH;
  choose_source();
  endpoint.arrived = {};
  endpoint.peer = no_endpoint;
  endpoint.unread = 0;
  endpoint.was_shut = endpoint.has_ended = false;
  endpoint.remote = to;
  endpoint.state = EndpointState::connecting;
  endpoint.error = 0;
  endpoint.out = new_link(id, to);
  if (endpoint.out == no_link || put(endpoint.out, Message::connect) == nullptr) return ENOBUFS;
  return EINPROGRESS;
}

EndpointId Network::accept(EndpointId id) {
  Endpoint& listener = (*this)[id];
  const EndpointId first = listener.first_waiting;
  if (first == no_endpoint) return no_endpoint;
  listener.first_waiting = (*this)[first].next_waiting;
  if (listener.first_waiting == no_endpoint) listener.last_waiting = no_endpoint;
  --listener.waiting;
  return first;
}

bool Network::has_room(EndpointId id) const {
  const Endpoint& endpoint = (*this)[id];
  return endpoint.peer == no_endpoint || (*this)[endpoint.peer].unread < room;
}

int Network::send(EndpointId id, std::span<const std::span<const unsigned char>> parts,
                  SocketAddress to) {
  Endpoint& endpoint = (*this)[id];
  LinkId link = endpoint.out;
  if (endpoint.is_datagram && endpoint.error != 0) return std::exchange(endpoint.error, 0);
  if (endpoint.is_datagram) {
    if (to.port == 0) to = endpoint.remote;
    if (to.port == 0) return EDESTADDRREQ;
    if (endpoint.local.port == 0) bind_anywhere(endpoint, any_host);
    to = as_target(to);
    if (node_of(endpoint.node, to) == no_node) return ENETUNREACH;
    std::size_t size = 0;
    for (const auto& part : parts) size += part.size();
    if (size > largest_datagram) return EMSGSIZE;
    link = datagram_link(id, to);
  } else if (endpoint.error != 0) {
    return std::exchange(endpoint.error, 0);
  } else if (endpoint.was_shut || endpoint.state == EndpointState::failed) {
    return EPIPE;
  } else if (endpoint.state != EndpointState::connected) {
    return ENOTCONN;
  }
  std::size_t size = 0;
  for (const auto& part : parts) size += part.size();
  if (size == 0 && !endpoint.is_datagram) return 0;
  if (link == no_link) return ENOBUFS;
  Message* message = put(link, endpoint.is_datagram ? Message::datagram : Message::data, size);
  if (message == nullptr) return ENOBUFS;
  unsigned char* at = message->bytes;
  for (const auto& part : parts) at = std::copy(part.begin(), part.end(), at);
  if (endpoint.is_datagram) return 0;
  (*this)[endpoint.peer].unread += size;
  // As long as so little was sent in all, there is room, whatever was read.
  const bool has_room = (links_[link].sent_bytes += size) < room;
  touch_unread(endpoint.peer, has_room ? Touched::unread : Touched::unread_seen);
  return 0;
}

int Network::shut_down(EndpointId id) {
  Endpoint& endpoint = (*this)[id];
  if (endpoint.is_datagram) return endpoint.remote.port != 0 ? 0 : ENOTCONN;
  if (endpoint.state == EndpointState::listening) {
    for (EndpointId each; (each = accept(id)) != no_endpoint;) close(each);
    endpoint.state = EndpointState::fresh;
    return 0;
  }
  if (endpoint.state != EndpointState::connected) return ENOTCONN;
  if (!std::exchange(endpoint.was_shut, true)) put(endpoint.out, Message::end);
  return 0;
}

// Connections that nobody has accepted go with the socket that listens.
void Network::close(EndpointId id) {
  Endpoint& endpoint = (*this)[id];
  if (endpoint.state == EndpointState::listening) {
    for (EndpointId each; (each = accept(id)) != no_endpoint;) close(each);
  }
  if (endpoint.state == EndpointState::connected) {
    // Who has not read everything says so.
    const bool is_abrupt = endpoint.unread > 0 || endpoint.is_abrupt;
    touch_unread(id, Touched::unread_seen);
    if (is_abrupt || !endpoint.was_shut) {
      put(endpoint.out, is_abrupt ? Message::reset : Message::end);
    }
  }
  endpoint.state = EndpointState::closed;
}

void Network::was_read(EndpointId id, std::uint64_t bytes) {
  Endpoint& endpoint = (*this)[id];
  const bool had_room = endpoint.unread < room;
  endpoint.unread -= std::min(bytes, endpoint.unread);
  touch_unread(id, Touched::unread);
  if (!had_room && endpoint.unread < room && endpoint.peer != no_endpoint) {
    change((*this)[endpoint.peer]);
  }
}

void Network::was_read(EndpointId id) {
  const Endpoint& endpoint = (*this)[id];
  if (endpoint.peer == no_endpoint) return;
  std::uint64_t on_its_way = 0;
  const MessageQueue& messages = links_[(*this)[endpoint.peer].out].messages;
  for (const Message* each = messages.front(); each != nullptr; each = each->next) {
    on_its_way += each->size;
  }
  was_read(id, endpoint.unread - std::min(on_its_way, endpoint.unread));
}

// --- Links ---

// A link that is over, and the way back.
void Network::forget(LinkId id) {
  const Link link = links_[id];
  for (const EndpointId end : {link.source, link.target}) {
    if (end == no_endpoint) continue;
    const LinkId out = std::exchange((*this)[end].out, no_link);
    if (out != no_link) links_[out] = {};
  }
  links_[id] = {};
}

LinkId Network::link_to_use_again() {
  for (LinkId id = 0; id < link_count_; ++id) {
    if (!is_over(id)) continue;
    forget(id);
    return id;
  }
  return no_link;
}

void Network::touch(const Touched& touched) {
  if (!notes_touched_) return;
  if (touched_count_ == most_touched) {
    is_full_ = true;
    return;
  }
  touched_[touched_count_++] = touched;
}

// The way to the reader names what it has not read.
void Network::touch_unread(EndpointId reader, Touched::What what) {
  const EndpointId sender = (*this)[reader].peer;
  if (sender == no_endpoint || (*this)[sender].out == no_link) return;
  touch({what, links_[(*this)[sender].out].name});
}

// As long as there are few, each connection has its own. A way back has the odd number.
LinkId Network::new_link(EndpointId source, SocketAddress to, const LinkName* name) {
  LinkId id = link_count_ < few_links ? no_link : link_to_use_again();
  if (id == no_link) {
    if (link_count_ == most_links) {
      is_full_ = true;
      return no_link;
    }
    id = link_count_++;
  }
  Link& link = links_[id] = {};
  link.from = (*this)[source].node;
  link.to = node_of(link.from, to);
  link.source = source;
  link.address = to;
  link.name = name != nullptr ? *name : LinkName{link.from, 2 * next_link_[link.from]++};
  return id;
}

LinkId Network::datagram_link(EndpointId source, SocketAddress to) {
  for (LinkId id = 0; id < link_count_; ++id) {
    if (links_[id].source == source && links_[id].address == to) return id;
  }
  return new_link(source, to);
}

Message* Network::put(LinkId id, Message::Kind kind, std::size_t size) {
  Link& link = links_[id];
  auto* message = static_cast<Message*>(memory_.take(sizeof(Message) + size));
  if (message == nullptr) {
    is_full_ = true;
    return nullptr;
  }
  *message = {nullptr,
              reinterpret_cast<unsigned char*>(message + 1),
              static_cast<std::uint32_t>(size),
              kind,
              source_of((*this)[link.source], link.address),
              link.address,
              now_,
              step_,
              0,
              link.sent++};
  touch({Touched::message, link.name, message->number});
  if (kind == Message::data || kind == Message::datagram) ++sent_[link.from][link.to];
  link.messages.push(message);
  return message;
}

}  // namespace ricercar::inline cluster
