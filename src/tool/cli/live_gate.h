// Requests of HTTP as `ricercar explore` understands them, and who may make them. Pure functions.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace ricercar::inline cli {

struct HttpRequest {
  std::string method;
  std::string path;                            // without what is behind the question mark
  std::string token;                           // of the address or of the header X-Ricercar-Token
  std::map<std::string, std::string> headers;  // names in small letters
  std::string body;

  std::string header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? "" : found->second;
  }
};

struct HttpAnswer {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body = {};
};

// The head of a request up to its empty line. Nothing: it is none.
std::optional<HttpRequest> parse_request(std::string_view head);
// How long its body is. Nothing: it does not say so properly.
std::optional<std::size_t> body_size(const HttpRequest& request);
std::string bytes_of(const HttpAnswer& answer);

// Only this machine, only who was given the token, and only pages of this server itself: another
// page in the same browser can send requests here, too, but cannot know the token, and its origin
// or the name by which it has found this server give it away.
class LiveGate {
 public:
  LiveGate(std::string token, std::uint16_t port) : token_(std::move(token)), port_(port) {}

  // Why a request is not answered; nothing: it is.
  std::optional<HttpAnswer> refusal(const HttpRequest& request, bool is_from_here) const;
  const std::string& token() const { return token_; }
  std::string address() const;  // with the token

 private:
  bool is_own_host(std::string_view host) const;

  std::string token_;
  std::uint16_t port_;
};

// 128 bits that nobody can guess, in hexadecimal digits.
std::string new_token();

}  // namespace ricercar::inline cli
