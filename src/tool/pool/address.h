// Where a pool is: a Redis, and the name under which it keeps a search.
//
//   redis://[USER@]HOST[:PORT]/NAME
//   rediss://...                           the same, encrypted
//   redis+unix:///PATH/OF/SOCKET?name=NAME
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ricercar::inline pool {

struct PoolAddress {
  std::string text;  // as the user wrote it; there is no password in it
  std::string host;
  std::uint16_t port = 6379;
  std::string socket;  // a path; empty: host and port
  std::string user;    // empty: Redis' own default
  std::string name;    // of the pool; empty: none was asked for
  bool is_encrypted = false;
};

enum class PoolName : std::uint8_t { needed, optional };

// Throws UsageError for what is no address, and for one with a password in it.
PoolAddress parse_pool_address(std::string_view text, PoolName name = PoolName::needed);

}  // namespace ricercar::inline pool
