// What nodes say to each other: frames, and the messages in them. docs/reference/wire-format.md is
// the specification; everything here is plain data and knows no sockets.
#pragma once

#include <ricercar/detail/encode.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ricercar::network {

inline constexpr std::uint32_t wire_version = 1;
inline constexpr std::array<std::uint8_t, 8> wire_magic = {'R', 'I', 'C', 'E', 'R', 'C', 'A', 'R'};

enum class FrameKind : std::uint8_t {
  hello = 1,        // from who connects, first
  welcome = 2,      // the answer
  event = 3,        // from who connected
  acknowledge = 4,  // of events
  refusal = 5,      // why the connection is closed
};

struct EventName {
  std::string name;   // of the type, with its scopes
  std::string shape;  // of its fields
};

struct Hello {
  std::array<std::uint8_t, 8> magic = wire_magic;
  std::uint32_t version = wire_version;
  std::string node;
  std::uint64_t incarnation = 0;  // another one for each start of the node
  std::vector<EventName> events;  // the number of a type is its place here
};

struct Welcome {
  std::array<std::uint8_t, 8> magic = wire_magic;
  std::uint32_t version = wire_version;
  std::string node;
  std::uint64_t incarnation = 0;
  std::uint64_t last_sequence = 0;     // of the events that have come from this incarnation
  std::vector<std::uint32_t> unknown;  // numbers of event types that are not accepted
};

struct EventMessage {
  std::uint64_t sequence = 0;  // grows with every event to this node; some may be missing
  std::uint64_t time = 0;      // of the sender's causal clock
  MachineId from;
  MachineId to;
  std::uint32_t type = 0;
  std::string payload;
};

struct Acknowledge {
  std::uint64_t sequence = 0;  // of the last event that has come
};

struct Refusal {
  std::string reason;
};

// A whole frame: its length, its kind and the message.
template <typename Message>
std::string frame_of(FrameKind kind, const Message& message) {
  std::string body;
  Encoder body_out(body);
  body_out.byte(static_cast<std::uint8_t>(kind));
  body_out.value(message);
  std::string frame;
  Encoder(frame).fixed(body.size(), 4);
  return frame += body;
}

// The message of a frame. Empty, and `mistake` says why, if the bytes are not exactly one.
template <typename Message>
std::optional<Message> message_of(std::string_view body, std::string& mistake) {
  Decoder in(body);
  Message message;
  in.value(message);
  if (in.ok() && !in.at_end()) in.fail("bytes behind the end of a message");
  if (in.ok()) return message;
  mistake = in.mistake();
  return {};
}

struct Frame {
  FrameKind kind;
  std::string_view body;  // valid until the buffer is filled again
};

// Puts frames together from the bytes of a connection.
class FrameBuffer {
 public:
  explicit FrameBuffer(std::size_t largest_frame) : largest_frame_(largest_frame) {}

  void add(std::string_view bytes);
  // Empty: more bytes are needed, or there is a mistake.
  std::optional<Frame> next();
  const std::string& mistake() const { return mistake_; }

 private:
  const std::size_t largest_frame_;
  std::string bytes_;
  std::size_t taken_ = 0;
  std::string mistake_;
};

// Whether two nodes speak the same language; empty if they do.
template <typename Greeting>
std::string why_not(const Greeting& greeting) {
  if (greeting.magic != wire_magic) return "it does not speak Ricercar's protocol";
  if (greeting.version == wire_version) return {};
  return "it speaks version " + std::to_string(greeting.version) + " of the protocol, this node " +
         std::to_string(wire_version);
}

}  // namespace ricercar::network
