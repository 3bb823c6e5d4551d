#include "pool/address.h"

#include <algorithm>
#include <charconv>

#include "base/error.h"

namespace ricercar::inline pool {
namespace {

constexpr std::string_view forms =
    "an address is redis://HOST:PORT/NAME, rediss://HOST:PORT/NAME (encrypted) or "
    "redis+unix:///SOCKET?name=NAME";

[[noreturn]] void refuse(std::string_view text, const std::string& why) {
  throw UsageError(quoted(text) + " " + why + ": " + std::string(forms));
}

bool take(std::string_view& text, std::string_view beginning) {
  if (!text.starts_with(beginning)) return false;
  text.remove_prefix(beginning.size());
  return true;
}

// What is before the character, which goes, too; the whole text if it is not there.
std::string_view take_until(std::string_view& text, char character) {
  const std::size_t end = std::min(text.find(character), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

void take_user(PoolAddress& address, std::string_view& host) {
  const std::size_t at = host.rfind('@');
  if (at == std::string_view::npos) return;
  address.user = host.substr(0, at);
  host.remove_prefix(at + 1);
  if (address.user.find(':') == std::string::npos) return;
  throw UsageError(
      "a password does not belong into the address of a pool, where everybody on this machine sees "
      "it: put it into the environment as REDISCLI_AUTH, or into a file that "
      "RICERCAR_POOL_PASSWORD_FILE names");
}

void take_port(PoolAddress& address, std::string_view port) {
  if (port.empty()) return;
  const auto result = std::from_chars(port.data(), port.data() + port.size(), address.port);
  const bool is_number = result.ec == std::errc() && result.ptr == port.data() + port.size();
  if (!is_number || address.port == 0) refuse(address.text, "has no valid port");
}

void take_host(PoolAddress& address, std::string_view host) {
  take_user(address, host);
  if (take(host, "[")) {  // of the sixth version of the protocol
    address.host = take_until(host, ']');
    if (!host.empty() && !take(host, ":")) refuse(address.text, "has no valid port");
  } else {
    address.host = take_until(host, ':');
  }
  take_port(address, host);
  if (address.host.empty()) refuse(address.text, "names no host");
}

void take_socket(PoolAddress& address, std::string_view rest) {
  address.socket = take_until(rest, '?');
  if (!address.socket.starts_with("/")) refuse(address.text, "does not name a socket");
  if (!rest.empty() && !take(rest, "name=")) refuse(address.text, "is not understood");
  address.name = rest;
}

bool is_name(std::string_view name) {
  constexpr std::size_t longest = 64;
  return name.size() <= longest && std::all_of(name.begin(), name.end(), [](char each) {
           return (each >= 'a' && each <= 'z') || (each >= 'A' && each <= 'Z') ||
                  (each >= '0' && each <= '9') || each == '-' || each == '_' || each == '.';
         });
}

}  // namespace

PoolAddress parse_pool_address(std::string_view text, PoolName name) {
  PoolAddress address;
  address.text = text;
  std::string_view rest = text;
  if (take(rest, "redis+unix://")) {
    take_socket(address, rest);
  } else {
    address.is_encrypted = take(rest, "rediss://");
    if (!address.is_encrypted && !take(rest, "redis://")) refuse(text, "is no address of a pool");
    take_host(address, take_until(rest, '/'));
    address.name = rest;
  }
  if (!is_name(address.name)) {
    refuse(text, "has a name of other than at most 64 letters, digits, '-', '_' and '.'");
  }
  if (address.name.empty() && name == PoolName::needed) refuse(text, "does not name the pool");
  return address;
}

}  // namespace ricercar::inline pool
