#include "network/node.h"

#include <algorithm>
#include <cstdio>
#include <random>
#include <utility>

#include "base/error.h"

namespace ricercar::network {
namespace {

using asio::ip::tcp;

std::uint64_t random_number() {
  std::random_device device;
  return (std::uint64_t{device()} << 32 | device()) | 1;
}

}  // namespace

Node::Node(Deployment& deployment, NetworkOptions options)
    : deployment_(deployment),
      options_(std::move(options)),
      incarnation_(random_number()),
      keep_running_(context_.get_executor()),
      acceptor_(context_) {
  if (options_.nodes.size() > deploy::most_nodes) {
    throw UsageError("a network has at most " + std::to_string(deploy::most_nodes) + " nodes");
  }
  const LinkOptions link_options = {{},
                                    options_.give_up_after,
                                    options_.retry_every,
                                    options_.largest_frame,
                                    options_.most_waiting_bytes,
                                    [this](const std::string& what) { note(what); }};
  for (const NodeAddress& address : options_.nodes) {
    Peer& peer = peers_.emplace_back();
    peer.name = address.name;
    if (is_here(address.name)) continue;
    LinkOptions own_options = link_options;
    own_options.peer = address.name;
    peer.link = std::make_shared<Link>(context_, std::move(own_options));
    peer.link->set_address(address.host, address.port);
  }
  own_number_ = number_of(options_.node);
  deployment_.join(own_number_, *this);
  listen();
}

Node::~Node() { stop(); }

void Node::listen() {
  const NodeAddress& own = options_.nodes[own_number_];
  tcp::resolver resolver(context_);
  const tcp::endpoint endpoint =
      resolver.resolve(own.host, std::to_string(own.port), tcp::resolver::passive)->endpoint();
  try {
    acceptor_.open(endpoint.protocol());
    acceptor_.set_option(tcp::acceptor::reuse_address(true));
    acceptor_.bind(endpoint);
    acceptor_.listen();
  } catch (const std::exception& error) {
    throw UsageError("node " + options_.node + " cannot listen at " + own.host + ":" +
                     std::to_string(own.port) + ": " + error.what());
  }
}

// --- Before the start ---

std::uint32_t Node::number_of(std::string_view node) const {
  for (std::uint32_t i = 0; i < peers_.size(); ++i) {
    if (peers_[i].name == node) return i;
  }
  throw UsageError("there is no node " + std::string(node) +
                   ": name it in NetworkOptions::nodes, in the same order on every node");
}

void Node::accept_type(const detail::Codec& codec) {
  if (thread_.joinable()) throw UsageError("accepts<E>() has to come before the network's start");
  const std::uint32_t type = codec.type->number;
  if (number_of_type_.size() <= type) number_of_type_.resize(type + 1, -1);
  if (number_of_type_[type] >= 0) return;
  number_of_type_[type] = static_cast<std::int64_t>(codecs_.size());
  codecs_.push_back(&codec);
}

MachineId Node::name_machine_on(std::string_view node) {
  Peer& peer = peers_[number_of(node)];
  return deploy::machine_on(number_of(node), peer.machines++);
}

void Node::set_address(std::string_view node, const std::string& host, std::uint16_t port) {
  if (thread_.joinable()) throw UsageError("addresses have to be known before the network's start");
  if (Peer& peer = peers_[number_of(node)]; peer.link) peer.link->set_address(host, port);
}

void Node::start() {
  Hello hello;
  hello.node = options_.node;
  hello.incarnation = incarnation_;
  for (const detail::Codec* codec : codecs_) {
    hello.events.push_back({std::string(codec->type->full_name), codec->shape()});
  }
  for (const Peer& peer : peers_) {
    if (peer.link) peer.link->greet_with(hello);
  }
  accept();
  thread_ = std::thread([this] { context_.run(); });
}

void Node::stop() {
  if (!thread_.joinable()) return;
  asio::post(context_, [this] {
    asio::error_code ignored;
    acceptor_.close(ignored);
    for (const Peer& peer : peers_) {
      if (peer.link) peer.link->close();
    }
    for (const auto& session : std::set(sessions_)) session->close();
    keep_running_.reset();
  });
  thread_.join();
}

// --- Out ---

void Node::send(MachineId from, MachineId to, const detail::Event& event, std::uint64_t time) {
  const std::uint32_t node = deploy::node_of(to);
  if (node >= peers_.size())
    throw UsageError("an event to a machine of a node that does not exist");
  const detail::EventType& type = *event->type;
  if (type.number >= number_of_type_.size() || number_of_type_[type.number] < 0) {
    throw UsageError("an event of the type " + std::string(type.full_name) +
                     " goes to another node: call accepts<" + std::string(type.name) +
                     ">() on both before they start");
  }
  EventMessage message;
  message.type = static_cast<std::uint32_t>(number_of_type_[type.number]);
  message.time = time;
  message.from = from;
  message.to = to;
  Encoder out(message.payload);
  codecs_[message.type]->encode(event->payload, out);
  peers_[node].link->send(std::move(message));
}

bool Node::wait_until_delivered(std::chrono::nanoseconds timeout) const {
  const auto end = std::chrono::steady_clock::now() + timeout;
  const auto is_done = [](const Peer& peer) { return !peer.link || peer.link->is_empty(); };
  while (!std::all_of(peers_.begin(), peers_.end(), is_done)) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

std::uint64_t Node::lost() const {
  std::uint64_t sum = 0;
  for (const Peer& peer : peers_) sum += peer.link ? peer.link->lost() : 0;
  return sum;
}

// --- In ---

void Node::accept() {
  acceptor_.async_accept([this](asio::error_code error, tcp::socket socket) {
    if (!acceptor_.is_open()) return;
    if (error) {
      note("a connection cannot be accepted: " + error.message());
    } else if (sessions_.size() >= most_sessions()) {
      note("a connection is closed: there are too many");
    } else {
      const auto session = std::make_shared<Session>(
          std::move(socket), static_cast<Receiver&>(*this), options_.largest_frame);
      sessions_.insert(session);
      session->start(options_.give_up_after);
    }
    accept();
  });
}

Node::Peer* Node::peer(const std::string& node) {
  const auto found = std::find_if(peers_.begin(), peers_.end(),
                                  [&](const Peer& peer) { return peer.name == node && peer.link; });
  return found == peers_.end() ? nullptr : &*found;
}

std::optional<Welcome> Node::greet(const Hello& hello, Session& session, std::string& mistake) {
  Peer* const from = peer(hello.node);
  if (from == nullptr) {
    mistake = "there is no node " + hello.node + " in this network";
    return {};
  }
  if (from->session != nullptr) std::exchange(from->session, nullptr)->close();
  from->session = &session;
  if (from->incarnation != hello.incarnation) from->last_sequence = 0;
  from->incarnation = hello.incarnation;
  Welcome welcome;
  welcome.node = options_.node;
  welcome.incarnation = incarnation_;
  welcome.last_sequence = from->last_sequence;
  return welcome;
}

const detail::Codec* Node::codec_for(const EventName& event) const {
  for (const detail::Codec* codec : codecs_) {
    if (codec->type->full_name == event.name && codec->shape() == event.shape) return codec;
  }
  return nullptr;
}

bool Node::is_new(const std::string& node, std::uint64_t sequence) {
  Peer* const from = peer(node);
  if (from == nullptr || sequence <= from->last_sequence) return false;
  from->last_sequence = sequence;
  return true;
}

std::string Node::deliver(MachineId to, detail::Event event, std::uint64_t time) {
  if (deploy::node_of(to) != own_number_) return "an event for a machine of another node";
  if (time >> 63 != 0) return "an event from a time that is too far away";
  deployment_.deliver(to, std::move(event), time);
  return {};
}

void Node::note(const std::string& what) {
  if (options_.on_note) return options_.on_note(what);
  std::fprintf(stderr, "ricercar: node %s: %s\n", options_.node.c_str(), what.c_str());
}

void Node::ended(Session& session) {
  for (Peer& peer : peers_) {
    if (peer.session == &session) peer.session = nullptr;
  }
  sessions_.erase(session.shared_from_this());
}

}  // namespace ricercar::network
