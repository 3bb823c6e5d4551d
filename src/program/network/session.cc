#include "network/session.h"

#include <utility>

namespace ricercar::network {
namespace {

std::string name_of(const asio::ip::tcp::socket& socket) {
  asio::error_code error;
  const auto endpoint = socket.remote_endpoint(error);
  if (error) return "somebody";
  return endpoint.address().to_string() + ":" + std::to_string(endpoint.port());
}

}  // namespace

Session::Session(asio::ip::tcp::socket socket, Receiver& receiver, std::size_t largest_frame)
    : socket_(std::move(socket)),
      timer_(socket_.get_executor()),
      receiver_(receiver),
      frames_(largest_frame),
      name_(name_of(socket_)) {}

void Session::start(std::chrono::milliseconds greeting_limit) {
  asio::error_code ignored;
  socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
  timer_.expires_after(greeting_limit);
  timer_.async_wait([self = shared_from_this()](asio::error_code error) {
    if (error || !self->node_.empty()) return;
    self->refuse("no greeting came in time");
  });
  read();
}

void Session::close() {
  if (std::exchange(closed_, true)) return;
  timer_.cancel();
  asio::error_code ignored;
  socket_.close(ignored);
  receiver_.ended(*this);
}

void Session::read() {
  socket_.async_read_some(asio::buffer(in_),
                          [self = shared_from_this()](asio::error_code error, std::size_t size) {
                            if (self->closed_) return;
                            if (error) return self->close();
                            self->frames_.add({self->in_.data(), size});
                            self->take_frames();
                          });
}

void Session::take_frames() {
  std::string mistake;
  while (mistake.empty() && !closed_) {
    const std::optional<Frame> frame = frames_.next();
    if (!frame) break;
    mistake = take_frame(*frame);
  }
  if (closed_) return;
  if (mistake.empty()) mistake = frames_.mistake();
  if (!mistake.empty()) return refuse(mistake);
  if (std::exchange(owes_acknowledge_, false)) {
    write(frame_of(FrameKind::acknowledge, Acknowledge{last_sequence_}));
  }
  read();
}

// Each of these returns what is wrong with the frame, or nothing.
std::string Session::take_frame(const Frame& frame) {
  std::string mistake;
  if (frame.kind == FrameKind::hello && node_.empty()) {
    const auto hello = message_of<Hello>(frame.body, mistake);
    return hello ? take_hello(*hello) : mistake;
  }
  if (frame.kind == FrameKind::event && !node_.empty()) {
    const auto event = message_of<EventMessage>(frame.body, mistake);
    return event ? take_event(*event) : mistake;
  }
  return "a frame that does not belong here";
}

std::string Session::take_hello(const Hello& hello) {
  if (std::string why = why_not(hello); !why.empty()) return why;
  std::string mistake;
  std::optional<Welcome> welcome = receiver_.greet(hello, *this, mistake);
  if (!welcome) return mistake;
  node_ = name_ = hello.node;
  last_sequence_ = welcome->last_sequence;
  for (std::uint32_t i = 0; i < hello.events.size(); ++i) {
    codecs_.push_back(receiver_.codec_for(hello.events[i]));
    if (codecs_.back() == nullptr) welcome->unknown.push_back(i);
  }
  write(frame_of(FrameKind::welcome, *welcome));
  return {};
}

std::string Session::take_event(const EventMessage& message) {
  if (message.type >= codecs_.size() || codecs_[message.type] == nullptr) {
    return "an event of a type that is not accepted here";
  }
  owes_acknowledge_ = true;
  if (!receiver_.is_new(node_, message.sequence)) return {};
  last_sequence_ = message.sequence;
  Decoder in(message.payload);
  detail::Event event = codecs_[message.type]->decode(in);
  if (!event) return std::string(in.mistake());
  return receiver_.deliver(message.to, std::move(event), message.time);
}

void Session::refuse(const std::string& reason) {
  receiver_.note("the connection from " + name_ + " is closed: " + reason);
  refused_ = true;
  write(frame_of(FrameKind::refusal, Refusal{reason}));
}

void Session::write(const std::string& bytes) {
  out_ += bytes;
  if (writing_.empty()) flush();
}

void Session::flush() {
  std::swap(out_, writing_);
  asio::async_write(socket_, asio::buffer(writing_),
                    [self = shared_from_this()](asio::error_code error, std::size_t) {
                      if (self->closed_) return;
                      self->writing_.clear();
                      if (error || (self->refused_ && self->out_.empty())) return self->close();
                      if (!self->out_.empty()) self->flush();
                    });
}

}  // namespace ricercar::network
