// The way to one other node: keeps events until they are acknowledged, connects, and connects
// again.
//
// send() and the figures are thread-safe; everything else runs on the thread of the io_context.
#pragma once

#include <asio.hpp>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "network/wire.h"

namespace ricercar::network {

struct LinkOptions {
  std::string peer;  // the name of the other node
  std::chrono::milliseconds give_up_after;
  std::chrono::milliseconds retry_every;
  std::size_t largest_frame;
  std::size_t most_waiting_bytes;
  std::function<void(const std::string&)> note;
};

class Link : public std::enable_shared_from_this<Link> {
 public:
  Link(asio::io_context& context, LinkOptions options);

  // Before the first send.
  void set_address(const std::string& host, std::uint16_t port);
  void greet_with(Hello hello);

  // Thread-safe. Throws UsageError if the other node is known not to accept the type. The link
  // fills in the sequence.
  void send(EventMessage event);
  bool is_empty() const;
  std::uint64_t lost() const;

  void close();  // for ever

 private:
  using Clock = std::chrono::steady_clock;
  struct Waiting {
    std::uint64_t sequence;
    std::uint32_t type;
    Clock::time_point since;
    bool was_written;  // on some connection: the other node may have it
    std::string frame;
  };
  struct Connection {
    Connection(asio::io_context& context, std::size_t largest_frame)
        : socket(context), frames(largest_frame), since(Clock::now()) {}
    asio::ip::tcp::socket socket;
    FrameBuffer frames;
    Clock::time_point since;
    std::array<char, 4096> in = {};
    std::string out;
    bool is_open = false;  // greeted
    bool is_writing = false;
  };
  using ConnectionRef = std::shared_ptr<Connection>;

  void go_on();
  void connect();
  void say_hello(const ConnectionRef& connection);
  void read(const ConnectionRef& connection);
  void take_frames(const ConnectionRef& connection);
  std::string take_frame(const Frame& frame);
  std::string take_welcome(const Welcome& welcome);
  void write(const ConnectionRef& connection);
  bool fill(std::string& out);
  void break_off(const ConnectionRef& connection, const std::string& why);
  void wait_for_tick();
  void tick();
  void drop_acknowledged(std::uint64_t sequence);
  template <typename Predicate>
  std::uint64_t lose(const Predicate& is_lost);
  void pop_front();

  asio::io_context& context_;
  const LinkOptions options_;
  std::string host_;
  std::string port_;
  Hello hello_;

  asio::ip::tcp::resolver resolver_;
  asio::steady_timer timer_;
  ConnectionRef connection_;
  bool ticks_ = false;
  bool closed_ = false;
  bool noted_ = false;  // that the other node cannot be reached
  std::uint64_t peer_incarnation_ = 0;

  mutable std::mutex mutex_;
  std::deque<Waiting> waiting_;
  std::size_t waiting_bytes_ = 0;
  std::size_t written_ = 0;  // so many of the first ones, on this connection
  std::uint64_t last_sequence_ = 0;
  std::uint64_t lost_ = 0;
  bool is_called_ = false;  // go_on() is on its way
  std::set<std::uint32_t> unknown_;
};

}  // namespace ricercar::network
