#include "cli/live_server.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <asio.hpp>

#include "base/error.h"

namespace ricercar::inline cli {
namespace {

using asio::ip::tcp;

constexpr std::size_t largest_head = std::size_t{16} << 10;
constexpr int most_seconds = 5;  // that somebody who has connected may keep the others waiting

void limit_time(tcp::socket& socket) {
  const timeval limit{most_seconds, 0};
  ::setsockopt(socket.native_handle(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  ::setsockopt(socket.native_handle(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

// Nothing: it is none, or it is too long.
std::optional<HttpRequest> read_request(tcp::socket& socket) {
  std::string text;
  asio::error_code error;
  const std::size_t head =
      asio::read_until(socket, asio::dynamic_buffer(text, largest_head), "\r\n\r\n", error);
  if (error) return std::nullopt;
  std::optional<HttpRequest> request = parse_request(std::string_view(text).substr(0, head));
  const std::optional<std::size_t> size = request ? body_size(*request) : std::nullopt;
  if (!size) return std::nullopt;
  request->body = text.substr(head);
  const std::size_t known = request->body.size();
  if (known > *size) return std::nullopt;
  request->body.resize(*size);
  asio::read(socket, asio::buffer(request->body.data() + known, *size - known), error);
  if (error) return std::nullopt;
  return request;
}

}  // namespace

class LiveServer::Sockets {
 public:
  explicit Sockets(std::uint16_t port)
      : acceptor_(context_, tcp::endpoint(asio::ip::address_v4::loopback(), port)),
        gate(new_token(), acceptor_.local_endpoint().port()) {}

  void serve_one(const std::function<HttpAnswer(const HttpRequest&)>& handle) {
    tcp::socket socket(context_);
    asio::error_code error;
    acceptor_.accept(socket, error);
    if (error) return;
    limit_time(socket);
    const auto peer = socket.remote_endpoint(error);
    const bool is_from_here = !error && peer.address().is_loopback();
    const std::optional<HttpRequest> request = read_request(socket);
    HttpAnswer answer{400, "text/plain; charset=utf-8", "this is no request\n"};
    if (request) {
      const std::optional<HttpAnswer> refusal = gate.refusal(*request, is_from_here);
      answer = refusal ? *refusal : handle(*request);
    }
    asio::write(socket, asio::buffer(bytes_of(answer)), error);
    socket.shutdown(tcp::socket::shutdown_both, error);
  }

 private:
  asio::io_context context_;
  tcp::acceptor acceptor_;

 public:
  const LiveGate gate;
};

LiveServer::LiveServer(std::uint16_t port) {
  try {
    sockets_ = std::make_unique<Sockets>(port);
  } catch (const std::system_error& error) {
    throw UsageError(fmt::format("cannot listen on port {}: {}", port, error.what()));
  }
}

LiveServer::~LiveServer() = default;

const LiveGate& LiveServer::gate() const { return sockets_->gate; }

void LiveServer::serve(const std::function<HttpAnswer(const HttpRequest&)>& handle) {
  for (;;) sockets_->serve_one(handle);
}

}  // namespace ricercar::inline cli
