#include "cli/live_gate.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "base/error.h"

namespace ricercar::inline cli {
namespace {

constexpr std::size_t largest_body = std::size_t{1} << 20;

std::string_view without_spaces(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::string in_small_letters(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

// Takes as long for a token that is almost right.
bool is_same_token(const std::string& given, const std::string& own) {
  unsigned difference = given.size() == own.size() ? 0 : 1;
  for (std::size_t i = 0; i < own.size(); ++i) {
    const char other = i < given.size() ? given[i] : '\0';
    difference |= static_cast<unsigned char>(other ^ own[i]);
  }
  return difference == 0;
}

// "/?token=abc": the path, and the token.
bool take_target(HttpRequest& request, std::string_view target) {
  if (target.empty() || target.front() != '/') return false;
  const std::size_t question = target.find('?');
  request.path = target.substr(0, question);
  constexpr std::string_view name = "token=";
  if (question == std::string_view::npos) return true;
  const std::string_view query = target.substr(question + 1);
  if (query.starts_with(name)) request.token = query.substr(name.size());
  return true;
}

bool take_header(HttpRequest& request, std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  const std::string name = in_small_letters(line.substr(0, colon));
  // Two of one name could mean something else to whoever stands in between.
  return request.headers.emplace(name, without_spaces(line.substr(colon + 1))).second;
}

}  // namespace

std::optional<HttpRequest> parse_request(std::string_view head) {
  HttpRequest request;
  std::size_t end = head.find("\r\n");
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view first = head.substr(0, end);
  const std::size_t space = first.find(' ');
  const std::size_t second = space == std::string_view::npos ? space : first.find(' ', space + 1);
  if (second == std::string_view::npos) return std::nullopt;
  if (!first.substr(second + 1).starts_with("HTTP/1.")) return std::nullopt;
  request.method = first.substr(0, space);
  if (!take_target(request, first.substr(space + 1, second - space - 1))) return std::nullopt;
  for (std::size_t start = end + 2; start < head.size(); start = end + 2) {
    end = head.find("\r\n", start);
    if (end == std::string_view::npos) return std::nullopt;
    if (end == start) break;
    if (!take_header(request, head.substr(start, end - start))) return std::nullopt;
  }
  if (request.headers.contains("x-ricercar-token")) {
    request.token = request.header("x-ricercar-token");
  }
  return request;
}

std::optional<std::size_t> body_size(const HttpRequest& request) {
  if (request.headers.contains("transfer-encoding")) return std::nullopt;
  if (!request.headers.contains("content-length")) return 0;
  const std::string text = request.header("content-length");
  std::size_t size = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), size);
  const bool is_number = problem == std::errc() && end == text.data() + text.size();
  return is_number && size <= largest_body ? std::optional(size) : std::nullopt;
}

std::string bytes_of(const HttpAnswer& answer) {
  const char* reason = answer.status == 200   ? "OK"
                       : answer.status == 403 ? "Forbidden"
                       : answer.status == 404 ? "Not Found"
                                              : "Bad Request";
  return fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n"
      "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\n"
      "Cross-Origin-Resource-Policy: same-origin\r\nReferrer-Policy: no-referrer\r\n\r\n{}",
      answer.status, reason, answer.type, answer.body.size(), answer.body);
}

std::optional<HttpAnswer> LiveGate::refusal(const HttpRequest& request, bool is_from_here) const {
  const auto forbidden = [](const char* why) {
    return HttpAnswer{403, "text/plain; charset=utf-8", std::string(why) + "\n"};
  };
  if (!is_from_here) return forbidden("only this machine may explore");
  if (!is_own_host(request.header("host"))) return forbidden("this server has another name");
  const std::string origin = request.header("origin");
  constexpr std::string_view scheme = "http://";
  const bool is_own_origin =
      origin.starts_with(scheme) && is_own_host(std::string_view(origin).substr(scheme.size()));
  if (request.headers.contains("origin") && !is_own_origin) {
    return forbidden("a page of another origin asks");
  }
  if (!is_same_token(request.token, token_)) {
    return forbidden("the token is missing: open the address that `ricercar explore` has printed");
  }
  return std::nullopt;
}

std::string LiveGate::address() const {
  return fmt::format("http://127.0.0.1:{}/?token={}", port_, token_);
}

bool LiveGate::is_own_host(std::string_view host) const {
  return host == fmt::format("127.0.0.1:{}", port_) || host == fmt::format("localhost:{}", port_);
}

std::string new_token() {
  std::array<unsigned char, 16> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    throw UsageError("the system has no random numbers for a token");
  }
  std::string token;
  for (const unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

}  // namespace ricercar::inline cli
