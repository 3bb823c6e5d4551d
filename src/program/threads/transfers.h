// Reading, writing and connecting without blocking the kernel thread. Each function does what the
// system call of the same meaning does and returns what the kernel would return: a negative error
// number if it fails. `name` is what a report calls it.
#pragma once

#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>

#include <cstddef>
#include <cstdint>

namespace ricercar::inline threads {

struct Parts {
  const iovec* parts;
  int count;
};

long read_from(const char* name, int number, Parts buffers, std::uint64_t site);
long write_to(const char* name, int number, Parts data, std::uint64_t site);
inline long read_from(const char* name, int number, void* buffer, std::size_t size,
                      std::uint64_t site) {
  const iovec part = {buffer, size};
  return read_from(name, number, Parts{&part, 1}, site);
}
inline long write_to(const char* name, int number, const void* data, std::size_t size,
                     std::uint64_t site) {
  const iovec part = {const_cast<void*>(data), size};
  return write_to(name, number, Parts{&part, 1}, site);
}

long receive_from(const char* name, int socket, msghdr* message, int flags, std::uint64_t site);
long send_to(const char* name, int socket, const msghdr* message, int flags, std::uint64_t site);

// sendfile() to a socket of a node. False: it is none.
bool send_file(int socket, int file, long* offset, std::size_t size, std::uint64_t site,
               long& result);

// Several messages; the number of those that were.
long receive_many(int socket, mmsghdr* messages, unsigned count, int flags, const timespec* limit,
                  std::uint64_t site);
long send_many(int socket, mmsghdr* messages, unsigned count, int flags, std::uint64_t site);

long accept_from(const char* name, int socket, sockaddr* address, socklen_t* size, int flags,
                 std::uint64_t site);
long connect_to(int socket, const sockaddr* address, socklen_t size, std::uint64_t site);
long shut_down(int socket, int how, std::uint64_t site);
long close_descriptor(int number, std::uint64_t site);

}  // namespace ricercar::inline threads
