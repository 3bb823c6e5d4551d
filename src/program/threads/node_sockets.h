// Sockets of a node. The kernel keeps the node's descriptors, so that poll, epoll, dup and all that
// works on any descriptor works on these; the network behind them is that of the cluster.
//
// A socket is one end of a pair. What arrives for it is written into the other end, which the
// program does not see, and so it becomes readable. What the program sends goes to the network. A
// socket that must not be sent to has a full buffer.
#pragma once

#include <sys/socket.h>
#include <sys/uio.h>

#include <cstdint>
#include <vector>

#include "cluster/memory.h"

namespace ricercar::inline threads {

// What the program has set and nobody acts upon.
struct KeptOption {
  int level;
  int name;
  std::vector<unsigned char> value;
};

struct NodeSocket {
  std::uint64_t inode = 0;  // by which the kernel knows it, whatever its descriptors are
  int number = -1;          // its first descriptor, and its only one unless it was copied
  int hidden = -1;          // the other end; negative: the connection has failed
  EndpointId endpoint = no_endpoint;
  bool is_6 = false;                   // the program speaks of addresses of version 6
  bool is_full = false;                // nothing may be sent
  bool is_hung = false;                // the kernel shows POLLHUP
  bool has_ended = false;              // the program has been told
  bool shows_error = false;            // an empty packet stands for the error of a datagram
  bool passes_hooks = false;           // the program may use it where no hook sees that
  bool is_copied = false;              // it has had several descriptors
  std::uint64_t readable = 0;          // bytes of a stream that the kernel has for the program
  std::uint32_t announced = 0;         // connections that the program can see to wait
  std::vector<SocketAddress> senders;  // of the datagrams that it can read; port 0: the error
  std::vector<KeptOption> options;
};

// This process is a node of a cluster.
bool is_node();
std::uint32_t number_of_node();  // 0 if it is none
void become_node(ClusterMemory& memory, std::uint32_t number);
// Sockets go through a network that is not the kernel's: the process is a node, or a program whose
// sockets meet within it, as soon as that is allowed.
bool has_network();
void allow_own_network();
// The process is no node and has a network.
bool has_own_network();
void use_network(ClusterMemory& memory);
// What is sent now carries the time.
Network& network_now();
// There the addresses of the machine lead to the program as well.
SocketAddress as_own_address(SocketAddress address);
const char* name_of_node();
NodeSlot& slot_of_node();
// It says something about itself. Nothing happens in a process that is no node.
void report_of_node(Reported report);

class NodeSockets {
 public:
  void begin_execution();

  // Null: it is not one of these.
  NodeSocket* find(int number);

  // --- Of a program that is no node: see own_network.cc ---

  // Whether such a socket is one of these; always so in a node.
  static bool can_open(int type, int protocol);
  // What was sent arrives.
  void deliver_at_once();
  // So does what was written past the hooks.
  void look_for_written();
  // The address is not the machine's; or who listens there is the kernel's.
  bool is_outside(int number, const sockaddr* address, socklen_t size);
  bool is_partner_outside(int number, const sockaddr* address, socklen_t size);
  // The socket becomes the kernel's. False: it is none of these.
  bool leave_network(int number);

  // --- Of a node, too ---

  // As the system calls of the same names: a negative error number if they fail.
  long open(int family, int type, int protocol);
  long bind(NodeSocket& socket, const sockaddr* address, socklen_t size);
  long listen(NodeSocket& socket, int number, int backlog);
  long accept(NodeSocket& listener, int number, sockaddr* address, socklen_t* size, int flags);
  // What the call gives at once: for a stream that is never success.
  long connect(NodeSocket& socket, int number, const sockaddr* address, socklen_t size);
  // What has become of it when the socket has become writable.
  long connection_result(NodeSocket& socket, int number);
  long send(NodeSocket& socket, int number, const iovec* parts, std::size_t count,
            const sockaddr* to, socklen_t size);
  // What poll() would say of a socket that does not pass the hooks. `events` as there.
  bool is_ready(const NodeSocket& socket, short events) const;
  // The program may use the socket of this number, or any if it is negative, past the hooks.
  void let_pass(int number);
  // This number is one more for what it leads to.
  void note_copy(int number);
  // Nothing can ever be read from it: it is a stream that is not connected.
  bool cannot_read(const NodeSocket& socket) const;
  // The program has read so much, or failed to: the result that it gets. `flags` as for recvmsg.
  // `control_room`: what the message has for control messages.
  long was_read(NodeSocket& socket, long result, int flags, msghdr* message,
                std::size_t control_room = 0);
  long shut_down(NodeSocket& socket, int how);
  // The next two: 1 if it is the kernel's to answer.
  long option(NodeSocket& socket, int number, int level, int name, void* value, socklen_t* size);
  long set_option(NodeSocket& socket, int level, int name, const void* value, socklen_t size);
  long local_name(const NodeSocket& socket, sockaddr* address, socklen_t* size) const;
  long peer_name(const NodeSocket& socket, sockaddr* address, socklen_t* size) const;

  // Brings what has arrived into the descriptors.
  void look();
  // Sends what the program has written past the hooks (stdio, sendfile, splice), and notes what it
  // has read in the same way.
  void look_past_hooks();
  // All descriptors of the socket with this inode may have been closed, and those of any that
  // passes the hooks.
  static constexpr std::uint64_t any_socket = ~std::uint64_t{0};
  void look_for_closed(std::uint64_t inode = 0);
  // The node is gone.
  void close_all();

 private:
  long make_pair(NodeSocket& socket, int flags);
  long add(EndpointId endpoint, int flags, bool is_6);
  int take_error(NodeSocket& socket, int number);
  void show_error(NodeSocket& socket);
  void hide_error(NodeSocket& socket, int number);
  bool renew(NodeSocket& socket, int number);
  void send_written(NodeSocket& socket);
  void show_arrived(NodeSocket& socket);
  void show_end(NodeSocket& socket);
  void show_failure(NodeSocket& socket);
  void hang_up(NodeSocket& socket);
  bool is_closed(const NodeSocket& socket) const;

  std::vector<NodeSocket> sockets_;
  bool all_pass_hooks_ = false;
};

// The address that a name stands for in the cluster; 0: no node has that name.
std::uint32_t host_by_name(const char* name);
// The other way round; null: it is no node's.
const char* name_by_host(std::uint32_t host);

// As the program sees addresses. False: it is none that such a socket can have.
bool read_address(bool is_6, const sockaddr* from, socklen_t size, SocketAddress& address);
void write_address(bool is_6, SocketAddress address, sockaddr* to, socklen_t* size);
// Where a datagram of this sender was sent to, for a socket that has asked for it (IP_PKTINFO);
// behind what the message has already.
void write_destination(const NodeSocket& socket, SocketAddress sender, msghdr& message,
                       std::size_t room);

}  // namespace ricercar::inline threads
