// What the coordinator does to a network: messages arrive, are lost, or wait.
#include <errno.h>

#include <algorithm>
#include <utility>

#include "cluster/network.h"

namespace ricercar::inline cluster {

void Network::change(Endpoint& endpoint) {
  endpoint.changed = true;
  changed_nodes_ |= std::uint64_t{1} << endpoint.node;
}

void Network::ask_all_to_look() {
  changed_nodes_ = nodes_ == max_nodes ? ~std::uint64_t{0} : (std::uint64_t{1} << nodes_) - 1;
}

std::uint64_t Network::take_changed_nodes() { return std::exchange(changed_nodes_, 0); }

void Network::drop(LinkId id) { links_[id].messages.pop(); }

void Network::duplicate(LinkId id) {
  const Message& first = *links_[id].messages.front();
  auto* copy = static_cast<Message*>(memory_.take(sizeof(Message)));
  if (copy == nullptr) {
    is_full_ = true;
    return;
  }
  *copy = first;  // nobody writes to the bytes of a datagram
  links_[id].messages.push_front(copy);
}

void Network::reorder(LinkId id) {
  MessageQueue& messages = links_[id].messages;
  Message* first = messages.pop();
  Message* second = messages.pop();
  messages.push_front(first);
  messages.push_front(second);
}

void Network::release(std::uint32_t node) {
  for (LinkId id = 0; id < link_count_; ++id) {
    if (links_[id].to == node || links_[id].from == node) links_[id].is_held = false;
  }
}

bool Network::release_all() {
  bool any = false;
  for (LinkId id = 0; id < link_count_; ++id) any |= std::exchange(links_[id].is_held, false);
  return any;
}

bool Network::has_cuts() const {
  return std::any_of(cut_, cut_ + nodes_, [](std::uint64_t to) { return to != 0; });
}

void Network::heal() { std::fill(cut_, cut_ + max_nodes, 0); }

void Network::crash(std::uint32_t node) {
  step_ = no_step;
  for (EndpointId id = 0; id < endpoint_count_; ++id) {
    Endpoint& endpoint = endpoints_[id];
    if (endpoint.node != node || endpoint.state == EndpointState::closed) continue;
    if (endpoint.state == EndpointState::connected) put(endpoint.out, Message::reset);
    endpoint.state = EndpointState::closed;
  }
}

// The kernel takes one more than the backlog.
bool Network::can_deliver(LinkId id) const {
  const Link& link = links_[id];
  if (link.messages.empty() || link.is_held || is_cut(link.from, link.to)) return false;
  const Message& first = *link.messages.front();
  if (first.kind != Message::connect) return true;
  const EndpointId to = bound_to(links_[id].to, first.to, false);
  return to == no_endpoint || (*this)[to].state != EndpointState::listening ||
         (*this)[to].waiting <= (*this)[to].backlog;
}

// To an end that is closed a reset may still go, as long as the other end can send.
bool Network::is_over(LinkId id) const {
  const Link& link = links_[id];
  if (link.source == no_endpoint) return true;
  if (!link.messages.empty() || !is_closed(link.source)) return false;
  if (link.target == no_endpoint) return true;
  const LinkId back = (*this)[link.target].out;
  return is_closed(link.target) && (back == no_link || links_[back].messages.empty());
}

bool Network::is_reachable(std::uint32_t node) const {
  return std::any_of(endpoints_, endpoints_ + endpoint_count_, [node](const Endpoint& each) {
    const bool is_open = each.state == EndpointState::listening ||
                         (each.is_datagram && each.state != EndpointState::closed);
    return each.node == node && is_open && each.local.port != 0;
  });
}

void Network::deliver(LinkId id) {
  step_ = no_step;
  Link& link = links_[id];
  Message* message = link.messages.pop();
  switch (message->kind) {
    case Message::connect:
      return connect_arrives(link, *message);
    case Message::datagram:
      return datagram_arrives(link, message);
    default:
      return stream_arrives(link, message);
  }
}

void Network::refuse(Endpoint& endpoint) {
  if (!endpoint.is_datagram) endpoint.state = EndpointState::failed;
  endpoint.error = ECONNREFUSED;
  change(endpoint);
}

// Both sides are connected at once: that the answer takes its time shows in what follows.
void Network::connect_arrives(Link& link, const Message& message) {
  Endpoint& client = (*this)[link.source];
  if (client.state != EndpointState::connecting) return;
  const EndpointId id = bound_to(link.to, message.to, false);
  if (id == no_endpoint || (*this)[id].state != EndpointState::listening) return refuse(client);
  Endpoint& listener = (*this)[id];
  const EndpointId accepted = open(listener.node, false);
  const LinkName name{link.name.node, link.name.number + 1};
  const LinkId back = accepted == no_endpoint ? no_link : new_link(accepted, client.local, &name);
  if (back == no_link) return refuse(client);
  Endpoint& server = (*this)[accepted];
  server.local = message.to;
  server.remote = client.local;
  server.peer = link.source;
  server.out = back;
  links_[back].target = link.source;
  server.is_abrupt = listener.is_abrupt;
  server.state = client.state = EndpointState::connected;
  client.peer = link.target = accepted;
  (listener.last_waiting == no_endpoint ? listener.first_waiting
                                        : (*this)[listener.last_waiting].next_waiting) = accepted;
  listener.last_waiting = accepted;
  ++listener.waiting;
  change(client);
  change(listener);
}

void Network::stream_arrives(Link& link, Message* message) {
  Endpoint& target = (*this)[link.target];
  if (target.state == EndpointState::closed) {
    Endpoint& sender = (*this)[link.source];
    // Who sends to nobody learns it on the way back.
    if (message->kind == Message::data && sender.state == EndpointState::connected) {
      put(target.out, Message::reset);
    }
    return;
  }
  if (message->kind == Message::data) {
    target.arrived.push(message);
    ++delivered_[link.from][link.to];
  } else {
    target.has_ended = true;
    if (message->kind == Message::reset) {
      target.state = EndpointState::failed;
      target.error = ECONNRESET;
    }
  }
  change(target);
}

namespace {

// Only a socket that sends to nobody else hears of it.
bool is_told_of_refusal(const Endpoint& sender, const Message& message) {
  return sender.state != EndpointState::closed && sender.remote == message.to;
}

}  // namespace

bool Network::will_refuse(LinkId id) const {
  const Message& first = *links_[id].messages.front();
  return first.kind == Message::datagram && is_told_of_refusal((*this)[links_[id].source], first) &&
         bound_to(links_[id].to, first.to, true) == no_endpoint;
}

// A datagram that nobody waits for is lost. Its sender learns it if it sends to nobody else.
void Network::datagram_arrives(const Link& link, Message* message) {
  const EndpointId id = bound_to(link.to, message->to, true);
  Endpoint& sender = (*this)[link.source];
  if (id == no_endpoint && is_told_of_refusal(sender, *message)) refuse(sender);
  if (id == no_endpoint) return;
  Endpoint& target = (*this)[id];
  if (target.remote.port != 0 && target.remote != message->from) return;
  target.arrived.push(message);
  ++delivered_[link.from][link.to];
  change(target);
}

}  // namespace ricercar::inline cluster
