// A connection that another node has made: its events come in here.
//
// Runs on the thread of the io_context alone.
#pragma once

#include <array>
#include <asio.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "network/wire.h"

namespace ricercar::network {

class Session;

// What a session needs of its node.
class Receiver {
 public:
  // The answer to a greeting, or the reason why there is none. The session has taken over from an
  // older one of the same node.
  virtual std::optional<Welcome> greet(const Hello& hello, Session& session,
                                       std::string& mistake) = 0;
  // Null if events of this name and shape are not accepted.
  virtual const detail::Codec* codec_for(const EventName& event) const = 0;
  // Whether an event of the node is new. It is so only once.
  virtual bool is_new(const std::string& node, std::uint64_t sequence) = 0;
  virtual std::string deliver(MachineId to, detail::Event event, std::uint64_t time) = 0;
  virtual void note(const std::string& what) = 0;
  virtual void ended(Session& session) = 0;

 protected:
  ~Receiver() = default;
};

class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(asio::ip::tcp::socket socket, Receiver& receiver, std::size_t largest_frame);

  void start(std::chrono::milliseconds greeting_limit);
  void close();

 private:
  void read();
  void take_frames();
  std::string take_frame(const Frame& frame);
  std::string take_hello(const Hello& hello);
  std::string take_event(const EventMessage& message);
  void refuse(const std::string& reason);
  void write(const std::string& bytes);
  void flush();

  asio::ip::tcp::socket socket_;
  asio::steady_timer timer_;
  Receiver& receiver_;
  FrameBuffer frames_;
  std::string name_;                          // of the node that has connected; for notes
  std::string node_;                          // the same, once it has greeted
  std::vector<const detail::Codec*> codecs_;  // by its numbers of event types
  std::uint64_t last_sequence_ = 0;
  bool owes_acknowledge_ = false;
  bool refused_ = false;
  bool closed_ = false;

  std::array<char, 65536> in_ = {};
  std::string out_;
  std::string writing_;
};

}  // namespace ricercar::network
