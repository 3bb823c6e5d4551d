// Hooks: reading from and writing to descriptors, and connections.
#include "threads/transfers.h"

#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "threads/descriptor.h"
#include "threads/hook.h"
#include "threads/memory/descriptors.h"
#include "threads/memory/external_state.h"
#include "threads/memory/real_function.h"

using namespace ricercar;

RICERCAR_HOOK ssize_t read(int number, void* buffer, size_t size) {
  if (!controlled()) return RICERCAR_BEHIND(read)(number, buffer, size);
  return as_result(read_from("read", number, buffer, size, RICERCAR_SITE()));
}
RICERCAR_HOOK ssize_t readv(int number, const iovec* parts, int count) {
  if (!controlled()) return RICERCAR_BEHIND(readv)(number, parts, count);
  return as_result(read_from("readv", number, Parts{parts, count}, RICERCAR_SITE()));
}
RICERCAR_HOOK ssize_t write(int number, const void* data, size_t size) {
  if (!controlled()) return RICERCAR_BEHIND(write)(number, data, size);
  return as_result(write_to("write", number, data, size, RICERCAR_SITE()));
}
RICERCAR_HOOK ssize_t writev(int number, const iovec* parts, int count) {
  if (!controlled()) return RICERCAR_BEHIND(writev)(number, parts, count);
  return as_result(write_to("writev", number, Parts{parts, count}, RICERCAR_SITE()));
}
RICERCAR_HOOK int eventfd_read(int number, eventfd_t* value) {
  if (!controlled()) return RICERCAR_BEHIND(eventfd_read)(number, value);
  const long size = read_from("eventfd_read", number, value, sizeof *value, RICERCAR_SITE());
  return as_result(size) == sizeof *value ? 0 : -1;
}
RICERCAR_HOOK int eventfd_write(int number, eventfd_t value) {
  if (!controlled()) return RICERCAR_BEHIND(eventfd_write)(number, value);
  const long size = write_to("eventfd_write", number, &value, sizeof value, RICERCAR_SITE());
  return as_result(size) == sizeof value ? 0 : -1;
}

RICERCAR_HOOK ssize_t recv(int socket, void* buffer, size_t size, int flags) {
  if (!controlled()) return RICERCAR_BEHIND(recv)(socket, buffer, size, flags);
  iovec part = {buffer, size};
  msghdr message = {nullptr, 0, &part, 1, nullptr, 0, 0};
  return as_result(receive_from("recv", socket, &message, flags, RICERCAR_SITE()));
}
RICERCAR_HOOK ssize_t recvfrom(int socket, void* buffer, size_t size, int flags, sockaddr* address,
                               socklen_t* address_size) {
  if (!controlled()) {
    return RICERCAR_BEHIND(recvfrom)(socket, buffer, size, flags, address, address_size);
  }
  iovec part = {buffer, size};
  msghdr message = {address, address != nullptr ? *address_size : 0, &part, 1, nullptr, 0, 0};
  const long result = receive_from("recvfrom", socket, &message, flags, RICERCAR_SITE());
  if (result >= 0 && address != nullptr) *address_size = message.msg_namelen;
  return as_result(result);
}
RICERCAR_HOOK ssize_t recvmsg(int socket, msghdr* message, int flags) {
  if (!controlled()) return RICERCAR_BEHIND(recvmsg)(socket, message, flags);
  return as_result(receive_from("recvmsg", socket, message, flags, RICERCAR_SITE()));
}
RICERCAR_HOOK ssize_t send(int socket, const void* data, size_t size, int flags) {
  if (!controlled()) return RICERCAR_BEHIND(send)(socket, data, size, flags);
  iovec part = {const_cast<void*>(data), size};
  const msghdr message = {nullptr, 0, &part, 1, nullptr, 0, 0};
  return as_result(send_to("send", socket, &message, flags, RICERCAR_SITE()));
}
RICERCAR_HOOK ssize_t sendto(int socket, const void* data, size_t size, int flags,
                             const sockaddr* address, socklen_t address_size) {
  if (!controlled()) {
    return RICERCAR_BEHIND(sendto)(socket, data, size, flags, address, address_size);
  }
  iovec part = {const_cast<void*>(data), size};
  const msghdr message = {const_cast<sockaddr*>(address), address_size, &part, 1, nullptr, 0, 0};
  return as_result(send_to("sendto", socket, &message, flags, RICERCAR_SITE()));
}
RICERCAR_HOOK ssize_t sendmsg(int socket, const msghdr* message, int flags) {
  if (!controlled()) return RICERCAR_BEHIND(sendmsg)(socket, message, flags);
  return as_result(send_to("sendmsg", socket, message, flags, RICERCAR_SITE()));
}

RICERCAR_HOOK int recvmmsg(int socket, mmsghdr* messages, unsigned count, int flags,
                           timespec* limit) {
  if (!controlled()) return RICERCAR_BEHIND(recvmmsg)(socket, messages, count, flags, limit);
  return static_cast<int>(
      as_result(receive_many(socket, messages, count, flags, limit, RICERCAR_SITE())));
}
RICERCAR_HOOK int sendmmsg(int socket, mmsghdr* messages, unsigned count, int flags) {
  if (!controlled()) return RICERCAR_BEHIND(sendmmsg)(socket, messages, count, flags);
  return static_cast<int>(as_result(send_many(socket, messages, count, flags, RICERCAR_SITE())));
}

RICERCAR_HOOK int accept(int socket, sockaddr* address, socklen_t* size) {
  if (!controlled()) return RICERCAR_BEHIND(accept)(socket, address, size);
  return static_cast<int>(
      as_result(accept_from("accept", socket, address, size, 0, RICERCAR_SITE())));
}
RICERCAR_HOOK int accept4(int socket, sockaddr* address, socklen_t* size, int flags) {
  if (!controlled()) return RICERCAR_BEHIND(accept4)(socket, address, size, flags);
  return static_cast<int>(
      as_result(accept_from("accept4", socket, address, size, flags, RICERCAR_SITE())));
}
RICERCAR_HOOK int connect(int socket, const sockaddr* address, socklen_t size) {
  if (!controlled()) return RICERCAR_BEHIND(connect)(socket, address, size);
  return static_cast<int>(as_result(connect_to(socket, address, size, RICERCAR_SITE())));
}
RICERCAR_HOOK int shutdown(int socket, int how) noexcept {
  if (!controlled()) return RICERCAR_BEHIND(shutdown)(socket, how);
  return static_cast<int>(as_result(shut_down(socket, how, RICERCAR_SITE())));
}
RICERCAR_HOOK int close(int number) {
  if (!controlled()) {
    if (tracking) note_descriptor_options();
    used_past_hooks(number);
    return RICERCAR_BEHIND(close)(number);
  }
  return static_cast<int>(as_result(close_descriptor(number, RICERCAR_SITE())));
}

// What the compiler calls instead when it wants the size of a buffer checked.
extern "C" [[noreturn]] void __chk_fail();

RICERCAR_HOOK ssize_t __read_chk(int number, void* buffer, size_t size, size_t room) {
  if (size > room) __chk_fail();
  if (!controlled()) return RICERCAR_BEHIND(read)(number, buffer, size);
  return as_result(read_from("read", number, buffer, size, RICERCAR_SITE()));
}
RICERCAR_HOOK ssize_t __recv_chk(int socket, void* buffer, size_t size, size_t room, int flags) {
  if (size > room) __chk_fail();
  if (!controlled()) return RICERCAR_BEHIND(recv)(socket, buffer, size, flags);
  iovec part = {buffer, size};
  msghdr message = {nullptr, 0, &part, 1, nullptr, 0, 0};
  return as_result(receive_from("recv", socket, &message, flags, RICERCAR_SITE()));
}
