#include "network/link.h"

#include <netinet/tcp.h>

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace ricercar::network {
namespace {

using asio::ip::tcp;

constexpr std::size_t largest_write = std::size_t{256} << 10;

// The kernel gives a connection up that does not move any more.
void limit_silence(tcp::socket& socket, std::chrono::milliseconds longest) {
  const auto value = static_cast<unsigned>(longest.count());
  ::setsockopt(socket.native_handle(), IPPROTO_TCP, TCP_USER_TIMEOUT, &value, sizeof value);
}

}  // namespace

Link::Link(asio::io_context& context, LinkOptions options)
    : context_(context), options_(std::move(options)), resolver_(context), timer_(context) {}

void Link::set_address(const std::string& host, std::uint16_t port) {
  host_ = host;
  port_ = std::to_string(port);
}

void Link::greet_with(Hello hello) { hello_ = std::move(hello); }

// --- Any thread ---

void Link::send(EventMessage event) {
  const std::lock_guard lock(mutex_);
  if (unknown_.count(event.type) != 0) {
    throw UsageError("node " + options_.peer + " does not accept events of the type " +
                     hello_.events[event.type].name + ": call accepts<" +
                     hello_.events[event.type].name +
                     ">() on it, and give the type the same fields on all nodes");
  }
  event.sequence = ++last_sequence_;
  const std::uint32_t type = event.type;
  std::string frame = frame_of(FrameKind::event, event);
  if (frame.size() > options_.largest_frame) {
    throw UsageError("an event of " + std::to_string(frame.size()) +
                     " bytes is larger than NetworkOptions::largest_frame");
  }
  if (waiting_bytes_ + frame.size() > options_.most_waiting_bytes) {
    ++lost_;
    return;
  }
  waiting_bytes_ += frame.size();
  waiting_.push_back({event.sequence, type, Clock::now(), false, std::move(frame)});
  if (std::exchange(is_called_, true)) return;
  asio::post(context_, [self = shared_from_this()] { self->go_on(); });
}

bool Link::is_empty() const {
  const std::lock_guard lock(mutex_);
  return waiting_.empty();
}

std::uint64_t Link::lost() const {
  const std::lock_guard lock(mutex_);
  return lost_;
}

// --- The thread of the network ---

void Link::close() {
  closed_ = true;
  timer_.cancel();
  resolver_.cancel();
  if (connection_) connection_->socket.close();
  connection_.reset();
}

void Link::go_on() {
  {
    const std::lock_guard lock(mutex_);
    is_called_ = false;
  }
  if (closed_) return;
  wait_for_tick();
  if (!connection_) {
    connect();
  } else if (connection_->is_open) {
    write(connection_);
  }
}

void Link::connect() {
  const auto connection = std::make_shared<Connection>(context_, options_.largest_frame);
  connection_ = connection;
  resolver_.async_resolve(host_, port_,
                          [self = shared_from_this(), connection](
                              asio::error_code error, const tcp::resolver::results_type& found) {
                            if (connection != self->connection_) return;
                            if (error) return self->break_off(connection, error.message());
                            asio::async_connect(
                                connection->socket, found,
                                [self, connection](asio::error_code failed, const tcp::endpoint&) {
                                  if (connection != self->connection_) return;
                                  if (failed) return self->break_off(connection, failed.message());
                                  self->say_hello(connection);
                                });
                          });
}

void Link::say_hello(const ConnectionRef& connection) {
  connection->socket.set_option(tcp::no_delay(true));
  limit_silence(connection->socket, options_.give_up_after);
  connection->out = frame_of(FrameKind::hello, hello_);
  asio::async_write(connection->socket, asio::buffer(connection->out),
                    [self = shared_from_this(), connection](asio::error_code error, std::size_t) {
                      if (connection != self->connection_) return;
                      if (error) self->break_off(connection, error.message());
                    });
  read(connection);
}

void Link::read(const ConnectionRef& connection) {
  connection->socket.async_read_some(
      asio::buffer(connection->in),
      [self = shared_from_this(), connection](asio::error_code error, std::size_t size) {
        if (connection != self->connection_) return;
        if (error) return self->break_off(connection, error.message());
        connection->frames.add({connection->in.data(), size});
        self->take_frames(connection);
      });
}

void Link::take_frames(const ConnectionRef& connection) {
  std::string mistake;
  while (mistake.empty()) {
    const std::optional<Frame> frame = connection->frames.next();
    if (!frame) break;
    mistake = take_frame(*frame);
  }
  if (mistake.empty()) mistake = connection->frames.mistake();
  if (!mistake.empty()) return break_off(connection, mistake);
  if (connection->is_open) write(connection);
  read(connection);
}

// Each of these returns what is wrong with the frame, or nothing.
std::string Link::take_frame(const Frame& frame) {
  std::string mistake;
  if (frame.kind == FrameKind::refusal) {
    const auto refusal = message_of<Refusal>(frame.body, mistake);
    return refusal ? "it refuses: " + refusal->reason : mistake;
  }
  if (frame.kind == FrameKind::welcome && !connection_->is_open) {
    const auto welcome = message_of<Welcome>(frame.body, mistake);
    return welcome ? take_welcome(*welcome) : mistake;
  }
  if (frame.kind == FrameKind::acknowledge && connection_->is_open) {
    const auto acknowledge = message_of<Acknowledge>(frame.body, mistake);
    if (acknowledge) drop_acknowledged(acknowledge->sequence);
    return mistake;
  }
  return "a frame that does not belong here";
}

std::string Link::take_welcome(const Welcome& welcome) {
  if (std::string why = why_not(welcome); !why.empty()) return why;
  if (welcome.node != options_.peer) return "there is a node " + welcome.node + " instead";
  // What was written to a node that has died may have been handled there: it is not sent twice.
  if (peer_incarnation_ != 0 && peer_incarnation_ != welcome.incarnation) {
    lose([](const Waiting& waiting) { return waiting.was_written; });
  } else {
    drop_acknowledged(welcome.last_sequence);
  }
  peer_incarnation_ = welcome.incarnation;
  {
    const std::lock_guard lock(mutex_);
    unknown_.clear();
    for (const std::uint32_t type : welcome.unknown) {
      if (type < hello_.events.size()) unknown_.insert(type);
    }
  }
  const auto refused =
      lose([this](const Waiting& waiting) { return unknown_.count(waiting.type) != 0; });
  if (refused != 0) {
    options_.note("node " + options_.peer + " does not accept " + std::to_string(refused) +
                  " events that waited for it; they are lost");
  }
  connection_->is_open = true;
  noted_ = false;
  return {};
}

void Link::write(const ConnectionRef& connection) {
  if (connection->is_writing || !fill(connection->out)) return;
  connection->is_writing = true;
  asio::async_write(connection->socket, asio::buffer(connection->out),
                    [self = shared_from_this(), connection](asio::error_code error, std::size_t) {
                      if (connection != self->connection_) return;
                      if (error) return self->break_off(connection, error.message());
                      connection->is_writing = false;
                      self->write(connection);
                    });
}

// Puts together what is written next. False: nothing waits.
bool Link::fill(std::string& out) {
  const std::lock_guard lock(mutex_);
  out.clear();
  while (written_ < waiting_.size() && out.size() < largest_write) {
    Waiting& next = waiting_[written_++];
    next.was_written = true;
    out += next.frame;
  }
  return !out.empty();
}

void Link::break_off(const ConnectionRef& connection, const std::string& why) {
  if (!std::exchange(noted_, true)) {
    options_.note("the connection to node " + options_.peer + " cannot be used: " + why);
  }
  connection->socket.close();
  connection_.reset();
  const std::lock_guard lock(mutex_);
  written_ = 0;
}

// --- Time ---

// Ticks as long as something waits.
void Link::wait_for_tick() {
  if (ticks_ || closed_) return;
  ticks_ = true;
  timer_.expires_after(options_.retry_every);
  timer_.async_wait([self = shared_from_this()](asio::error_code error) {
    self->ticks_ = false;
    if (!error) self->tick();
  });
}

void Link::tick() {
  if (closed_) return;
  const Clock::time_point now = Clock::now();
  const auto is_over = [&](Clock::time_point since) {
    return now - since > options_.give_up_after;
  };
  const std::uint64_t lost = lose([&](const Waiting& waiting) { return is_over(waiting.since); });
  if (lost != 0) {
    options_.note(std::to_string(lost) + " events to node " + options_.peer +
                  " are lost: it could not be reached for too long");
  }
  if (connection_ && !connection_->is_open && is_over(connection_->since)) {
    break_off(connection_, "no answer");
  }
  if (!is_empty()) go_on();
}

void Link::drop_acknowledged(std::uint64_t sequence) {
  const std::lock_guard lock(mutex_);
  while (!waiting_.empty() && waiting_.front().sequence <= sequence) pop_front();
}

// With the mutex held.
void Link::pop_front() {
  waiting_bytes_ -= waiting_.front().frame.size();
  waiting_.pop_front();
  if (written_ > 0) --written_;
}

template <typename Predicate>
std::uint64_t Link::lose(const Predicate& is_lost) {
  const std::lock_guard lock(mutex_);
  std::uint64_t count = 0;
  std::deque<Waiting> kept;
  std::size_t kept_written = 0;
  waiting_bytes_ = 0;
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    if (is_lost(waiting_[i])) {
      ++count;
      continue;
    }
    if (i < written_) ++kept_written;
    waiting_bytes_ += waiting_[i].frame.size();
    kept.push_back(std::move(waiting_[i]));
  }
  waiting_.swap(kept);
  written_ = kept_written;
  lost_ += count;
  return count;
}

}  // namespace ricercar::network
