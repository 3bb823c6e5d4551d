// Calls on sockets that go as they go in Linux, one conversation for each argument: `NAME server`
// and `NAME client`.
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/sendfile.h>
#include <sys/un.h>

#include <functional>
#include <map>
#include <random>
#include <thread>

#include "../../examples/nodes/net.h"

namespace {

constexpr short all_events = POLLIN | POLLOUT | POLLRDHUP;

int accept_one() { return accept(listening_socket(7000), nullptr, nullptr); }
int connect_to_server() {
  int server = -1;
  while (server < 0) server = connected_socket("server", 7000);
  return server;
}

short events_of(int number, short asked) {
  pollfd entry = {number, asked, 0};
  assert(poll(&entry, 1, -1) == 1);
  return entry.revents;
}

int error_of(int number) {
  int error = 0;
  socklen_t size = sizeof error;
  assert(getsockopt(number, SOL_SOCKET, SO_ERROR, &error, &size) == 0);
  return error;
}

int option_of(int number, int level, int name) {
  int value = -1;
  socklen_t size = sizeof value;
  assert(getsockopt(number, level, name, &value, &size) == 0 && size == sizeof value);
  return value;
}

void set_option(int number, int level, int name, int value) {
  assert(setsockopt(number, level, name, &value, sizeof value) == 0);
}

// --- The end of a connection ---

// Closed before all was read.
void server_that_resets() {
  const int client = accept_one();
  assert(events_of(client, POLLIN) == POLLIN);
  close(client);
}

// Who asks for nothing is told of errors all the same.
void client_that_is_reset() {
  const int server = connect_to_server();
  assert(send_text(server, "unread"));
  assert(events_of(server, 0) == (POLLERR | POLLHUP));
  assert(events_of(server, all_events) == (POLLIN | POLLOUT | POLLRDHUP | POLLERR | POLLHUP));
  assert(error_of(server) == ECONNRESET && error_of(server) == 0);
  assert(events_of(server, POLLIN) == (POLLIN | POLLHUP));
  char byte;
  assert(recv(server, &byte, 1, 0) == 0);
}

void client_that_reads_the_reset() {
  const int server = connect_to_server();
  assert(send_text(server, "unread"));
  assert((events_of(server, 0) & POLLERR) != 0);
  char byte;
  assert(recv(server, &byte, 1, 0) == -1 && errno == ECONNRESET);
  assert(recv(server, &byte, 1, 0) == 0);
  assert(send(server, "x", 1, MSG_NOSIGNAL) == -1 && errno == EPIPE);
}

void client_that_is_refused() {
  const int server = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  const sockaddr_in address = address_of("server", 7999);
  assert(connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) == -1);
  const int queue = epoll_create1(0);
  epoll_event event = {};
  event.events = EPOLLOUT;
  assert(epoll_ctl(queue, EPOLL_CTL_ADD, server, &event) == 0);
  assert(epoll_wait(queue, &event, 1, -1) == 1);
  assert(event.events == (EPOLLOUT | EPOLLERR | EPOLLHUP));
  assert(error_of(server) == ECONNREFUSED);
}

// Both directions have ended.
void server_that_ends() {
  const int client = accept_one();
  assert(receive_text(client).empty());
  shutdown(client, SHUT_WR);
  assert((events_of(client, 0) & POLLHUP) != 0);
  close(client);
}

void client_that_ends() {
  const int server = connect_to_server();
  shutdown(server, SHUT_WR);
  assert(events_of(server, POLLIN | POLLRDHUP) == (POLLIN | POLLRDHUP | POLLHUP));
  close(server);
}

int signals_of_pipe = 0;

void client_with_a_handler() {
  signal(SIGPIPE, [](int) { ++signals_of_pipe; });
  const int server = connect_to_server();
  assert(send_text(server, "unread"));
  events_of(server, 0);
  assert(write(server, "x", 1) == -1 && errno == ECONNRESET && signals_of_pipe == 0);
  assert(write(server, "x", 1) == -1 && errno == EPIPE && signals_of_pipe == 1);
  assert(send(server, "x", 1, MSG_NOSIGNAL) == -1 && errno == EPIPE && signals_of_pipe == 1);
  signal(SIGPIPE, SIG_IGN);
  assert(write(server, "x", 1) == -1 && errno == EPIPE && signals_of_pipe == 1);
}

void client_that_does_not_know_of_signals() {
  const int server = connect_to_server();
  assert(send_text(server, "unread"));
  events_of(server, 0);
  for (int i = 0; i < 2; ++i) assert(write(server, "x", 1) == -1);
}

// --- Addresses ---

sockaddr_in name_of(int number, int (*ask)(int, sockaddr*, socklen_t*)) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  assert(ask(number, reinterpret_cast<sockaddr*>(&address), &size) == 0 && size == sizeof address);
  return address;
}
std::uint32_t host(const sockaddr_in& address) { return ntohl(address.sin_addr.s_addr); }

void server_with_names() {
  const int listener = listening_socket(7000);
  assert(host(name_of(listener, getsockname)) == INADDR_ANY);
  const int client = accept(listener, nullptr, nullptr);
  assert(host(name_of(client, getsockname)) == host(address_of("server", 0)));
  assert(host(name_of(client, getpeername)) == host(address_of("one", 0)));
  const sockaddr_in peer = name_of(client, getpeername);
  char name[64];
  assert(getnameinfo(reinterpret_cast<const sockaddr*>(&peer), sizeof peer, name, sizeof name,
                     nullptr, 0, 0) == 0);
  assert(std::strcmp(name, "one") == 0);
  assert(receive_text(client).empty());
}

void client_with_names() {
  const hostent* entry = gethostbyname("server");
  assert(entry != nullptr && entry->h_addrtype == AF_INET && entry->h_addr_list[1] == nullptr);
  sockaddr_in address = address_of("server", 7000);
  assert(std::memcmp(entry->h_addr_list[0], &address.sin_addr, 4) == 0);
  assert(gethostbyname("nobody") == nullptr && h_errno == HOST_NOT_FOUND);
  const int server = connect_to_server();
  assert(host(name_of(server, getsockname)) == host(address_of("one", 0)));
  close(server);
}

// Who is bound to 127.0.0.1 cannot be reached from outside.
void server_for_itself() {
  const int number = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = address_of("localhost", 7000);
  assert(bind(number, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  assert(listen(number, 4) == 0);
  std::thread other([] { assert(connected_socket("localhost", 7000) >= 0); });
  sockaddr_in from{};
  socklen_t size = sizeof from;
  assert(accept(number, reinterpret_cast<sockaddr*>(&from), &size) >= 0);
  assert(host(from) == INADDR_LOOPBACK);
  other.join();
}

void client_that_stays_outside() {
  const int server = socket(AF_INET, SOCK_STREAM, 0);
  const sockaddr_in address = address_of("server", 7000);
  assert(connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) == -1);
  assert(errno == ECONNREFUSED);
}

int listening_6(bool only_6) {
  const int number = socket(AF_INET6, SOCK_STREAM, 0);
  assert(number >= 0);
  if (only_6) set_option(number, IPPROTO_IPV6, IPV6_V6ONLY, 1);
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_port = htons(7000);
  assert(bind(number, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  assert(listen(number, 4) == 0);
  return number;
}

void connect_to_itself_6() {
  addrinfo hints{};
  hints.ai_family = AF_INET6;
  addrinfo* list = nullptr;
  assert(getaddrinfo("localhost", "7000", &hints, &list) == 0);
  const int number = socket(AF_INET6, SOCK_STREAM, 0);
  assert(connect(number, list->ai_addr, list->ai_addrlen) == 0);
  freeaddrinfo(list);
  close(number);
}

// One socket for both versions.
void server_of_version_6() {
  const int listener = listening_6(false);
  const int client = accept(listener, nullptr, nullptr);
  sockaddr_in6 peer{};
  socklen_t size = sizeof peer;
  assert(getpeername(client, reinterpret_cast<sockaddr*>(&peer), &size) == 0);
  assert(size == sizeof peer && IN6_IS_ADDR_V4MAPPED(&peer.sin6_addr));
  std::thread other(connect_to_itself_6);
  const int second = accept(listener, reinterpret_cast<sockaddr*>(&peer), &size);
  assert(second >= 0 && IN6_IS_ADDR_LOOPBACK(&peer.sin6_addr));
  other.join();
  const int same_port = socket(AF_INET, SOCK_STREAM, 0);
  const sockaddr_in address = address_of(nullptr, 7000);
  assert(bind(same_port, reinterpret_cast<const sockaddr*>(&address), sizeof address) == -1);
  assert(errno == EADDRINUSE);
  close(listener);
  listening_6(true);
  assert(bind(same_port, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
}

// --- Options and several messages at once ---

void server_with_options() {
  const int number = socket(AF_INET, SOCK_STREAM, 0);
  assert(option_of(number, IPPROTO_TCP, TCP_NODELAY) == 0);
  set_option(number, IPPROTO_TCP, TCP_NODELAY, 1);
  assert(option_of(number, IPPROTO_TCP, TCP_NODELAY) == 1);
  set_option(number, SOL_SOCKET, SO_REUSEADDR, 1);
  set_option(number, SOL_SOCKET, SO_REUSEPORT, 1);
  set_option(number, SOL_SOCKET, SO_KEEPALIVE, 1);
  assert(option_of(number, SOL_SOCKET, SO_REUSEADDR) == 1);
  assert(option_of(number, SOL_SOCKET, SO_REUSEPORT) == 1);
  assert(option_of(number, SOL_SOCKET, SO_KEEPALIVE) == 1);
  set_option(number, SOL_SOCKET, SO_RCVBUF, 10000);
  assert(option_of(number, SOL_SOCKET, SO_RCVBUF) == 20000);
  assert(option_of(number, SOL_SOCKET, SO_SNDBUF) > 0);
  assert(option_of(number, SOL_SOCKET, SO_PROTOCOL) == IPPROTO_TCP);
  assert(option_of(number, SOL_SOCKET, SO_DOMAIN) == AF_INET);
  const int yes = 1;  // of version 6 alone: servers try it on every socket that they make
  assert(setsockopt(number, IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof yes) == -1);
  assert(errno == ENOPROTOOPT);
}

struct Messages {
  char text[3][8] = {};
  iovec parts[3] = {};
  mmsghdr headers[3] = {};

  Messages() {
    for (int i = 0; i < 3; ++i) {
      parts[i] = {text[i], sizeof text[i]};
      headers[i].msg_hdr.msg_iov = &parts[i];
      headers[i].msg_hdr.msg_iovlen = 1;
    }
  }
};

void server_of_several() {
  const int number = bound_socket(SOCK_DGRAM, 9000);
  accept_one();
  Messages messages;
  for (int got = 0; got < 3;) {
    const int more = recvmmsg(number, messages.headers, 3U, MSG_WAITFORONE, nullptr);
    assert(more > 0);
    for (int i = 0; i < more; ++i) assert(messages.headers[i].msg_len == 8);
    got += more;
  }
  assert(recvmmsg(number, messages.headers, 1U, MSG_DONTWAIT, nullptr) == -1 && errno == EAGAIN);
}

void client_of_several() {
  connect_to_server();
  const int number = socket(AF_INET, SOCK_DGRAM, 0);
  const sockaddr_in server = address_of("server", 9000);
  assert(connect(number, reinterpret_cast<const sockaddr*>(&server), sizeof server) == 0);
  Messages messages;
  assert(sendmmsg(number, messages.headers, 3U, 0) == 3);
  assert(messages.headers[2].msg_len == 8);
}

// Nobody has the port: who sends to it alone learns that, and goes on.
void server_without_a_port() {
  const int number = socket(AF_INET, SOCK_DGRAM, 0);
  const sockaddr_in nobody = address_of("server", 7999);
  assert(connect(number, reinterpret_cast<const sockaddr*>(&nobody), sizeof nobody) == 0);
  char byte;
  for (int i = 0; i < 2; ++i) {
    assert(send(number, "x", 1, 0) == 1);
    assert(recv(number, &byte, 1, i == 0 ? 0 : MSG_PEEK) == -1 && errno == ECONNREFUSED);
    assert(recv(number, &byte, 1, MSG_DONTWAIT) == -1 && errno == EAGAIN);
  }
  assert(send(number, "x", 1, 0) == 1);
  assert(events_of(number, POLLIN) != 0);
  assert(send(number, "x", 1, 0) == -1 && errno == ECONNREFUSED);
  assert(error_of(number) == 0);
}

// --- Options that act ---

void server_that_is_left_abruptly() {
  char byte;
  assert(recv(accept_one(), &byte, 1, 0) == -1 && errno == ECONNRESET);
}
void client_that_leaves_abruptly() {
  const int server = connect_to_server();
  const linger at_once = {1, 0};
  assert(setsockopt(server, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once) == 0);
  close(server);
}

// A connection has the time limit of the socket that listened.
void server_with_a_time_limit() {
  const int listener = listening_socket(7000);
  const timeval limit = {0, 5000};
  assert(setsockopt(listener, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) == 0);
  int client = -1;
  while ((client = accept(listener, nullptr, nullptr)) < 0) assert(errno == EAGAIN);
  char byte;
  assert(recv(client, &byte, 1, 0) == -1 && errno == EAGAIN);
  assert(send_text(client, "."));
}
void client_that_says_nothing() { assert(receive_text(connect_to_server()) == "."); }

// --- The C library's streams, and files ---

void server_of_lines() {
  const int client = accept_one();
  FILE* stream = fdopen(client, "r+");
  assert(fileno(stream) == client);
  char line[32];
  assert(fgets(line, sizeof line, stream) != nullptr && std::strcmp(line, "hello\n") == 0);
  fprintf(stream, "good %s\n", "bye");
  assert(fflush(stream) == 0);
  assert(fgets(line, sizeof line, stream) == nullptr && feof(stream) != 0);
  assert(fclose(stream) == 0);
}
void client_of_lines() {
  const int server = connect_to_server();
  assert(send_text(server, "hel") && send_text(server, "lo\n"));
  FILE* stream = fdopen(server, "r");
  char line[32];
  assert(fgets(line, sizeof line, stream) != nullptr && std::strcmp(line, "good bye\n") == 0);
  assert(fclose(stream) == 0);
}

// More than the other side takes at once.
constexpr std::size_t large = 1'000'000;

void server_of_a_file() {
  const int client = accept_one();
  std::string all(large, ' ');
  assert(recv(client, all.data(), large, MSG_WAITALL) == static_cast<ssize_t>(large));
  assert(all == std::string(large, 'x') && receive_text(client).empty());
}
void client_with_a_file() {
  const int server = connect_to_server();
  const int file = open("sent", O_RDWR | O_CREAT, 0666);
  const std::string all(large, 'x');
  assert(write(file, all.data(), large) == static_cast<ssize_t>(large));
  off_t offset = 0;
  assert(sendfile(server, file, &offset, large) == static_cast<ssize_t>(large));
  assert(offset == static_cast<off_t>(large));
}

int locked_file(int command, int type, int file = -1) {
  if (file < 0) file = open("locked", O_RDWR | O_CREAT, 0666);
  struct flock lock = {};
  lock.l_type = static_cast<short>(type);
  return fcntl(file, command, &lock) == 0 ? file : -1;
}

// Another node's lock holds up who asks for it, until it is given back, or the node has ended.
void server_that_locks() {
  const int file = locked_file(F_SETLK, F_WRLCK);
  assert(file >= 0);
  const int client = accept_one();
  assert(receive_text(client) == "try");
  usleep(1000);
  assert(locked_file(F_SETLK, F_UNLCK, file) >= 0);
  assert(receive_text(client) == "got");
  assert(locked_file(F_SETLKW, F_WRLCK, file) >= 0);
}
void client_that_waits_for_a_lock() {
  const int server = connect_to_server();
  assert(locked_file(F_SETLK, F_WRLCK) < 0 && errno == EAGAIN);
  assert(send_text(server, "try"));
  assert(locked_file(F_SETLKW, F_WRLCK) >= 0);
  assert(send_text(server, "got"));
}

void server_with_interfaces() {
  ifaddrs* list = nullptr;
  assert(getifaddrs(&list) == 0);
  std::string all;
  for (const ifaddrs* each = list; each != nullptr; each = each->ifa_next) {
    const bool is_6 = each->ifa_addr->sa_family == AF_INET6;
    char text[INET6_ADDRSTRLEN];
    assert(getnameinfo(each->ifa_addr, is_6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in), text,
                       sizeof text, nullptr, 0, NI_NUMERICHOST) == 0);
    all += std::string(text) + " " + each->ifa_name + "\n";
  }
  freeifaddrs(list);
  assert(all == "127.0.0.1 lo\n10.77.0.1 eth0\n::1 lo\nfd00:10:77::1 eth0\n");
}

// --- Names as programs ask for them ---

// The address of the name, in one of these families.
int look_up(const char* name, int family, int flags, addrinfo** list) {
  addrinfo hints{};
  hints.ai_family = family;
  hints.ai_socktype = SOCK_DGRAM;
  hints.ai_flags = flags;
  return getaddrinfo(name, "7000", &hints, list);
}

void server_that_looks_up() {
  addrinfo* list = nullptr;
  assert(look_up("::", AF_UNSPEC, AI_PASSIVE | AI_NUMERICHOST, &list) == 0);
  assert(list->ai_family == AF_INET6);
  freeaddrinfo(list);
  assert(look_up("10.77.0.2", AF_UNSPEC, AI_NUMERICHOST, &list) == 0);
  assert(list->ai_family == AF_INET);
  freeaddrinfo(list);
  assert(look_up("one", AF_UNSPEC, AI_CANONNAME, &list) == 0);
  assert(std::string(list->ai_canonname) == "one");
  freeaddrinfo(list);
  assert(look_up("one", AF_UNSPEC, AI_NUMERICHOST, &list) == EAI_NONAME);
}

// --- Where a datagram was sent to ---

// The address in the control message, as a text; empty: there is none.
std::string destination_of_next(int number) {
  char byte, control[256];
  iovec part = {&byte, 1};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  assert(recvmsg(number, &message, 0) == 1);
  char text[INET6_ADDRSTRLEN] = "";
  for (cmsghdr* each = CMSG_FIRSTHDR(&message); each; each = CMSG_NXTHDR(&message, each)) {
    if (each->cmsg_level == IPPROTO_IP && each->cmsg_type == IP_PKTINFO) {
      inet_ntop(AF_INET, &reinterpret_cast<in_pktinfo*>(CMSG_DATA(each))->ipi_addr, text,
                sizeof text);
    } else if (each->cmsg_level == IPPROTO_IPV6 && each->cmsg_type == IPV6_PKTINFO) {
      inet_ntop(AF_INET6, &reinterpret_cast<in6_pktinfo*>(CMSG_DATA(each))->ipi6_addr, text,
                sizeof text);
    }
  }
  return text;
}

void send_byte(int number, const char* host, int family) {
  addrinfo* list = nullptr;
  assert(look_up(host, family, 0, &list) == 0);
  assert(sendto(number, "x", 1, 0, list->ai_addr, list->ai_addrlen) == 1);
  freeaddrinfo(list);
}

void server_that_knows_destinations() {
  const int plain = bound_socket(SOCK_DGRAM, 7000);
  set_option(plain, IPPROTO_IP, IP_PKTINFO, 1);
  send_byte(plain, "server", AF_INET);
  assert(destination_of_next(plain) == "10.77.0.1");
  send_byte(plain, "localhost", AF_INET);
  assert(destination_of_next(plain) == "127.0.0.1");
  set_option(plain, IPPROTO_IP, IP_PKTINFO, 0);
  send_byte(plain, "localhost", AF_INET);
  assert(destination_of_next(plain).empty());
  close(plain);
  const int number = socket(AF_INET6, SOCK_DGRAM, 0);
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_port = htons(7000);
  assert(bind(number, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  set_option(number, IPPROTO_IPV6, IPV6_RECVPKTINFO, 1);
  send_byte(number, "server", AF_INET6);
  assert(destination_of_next(number) == "fd00:10:77::1");
}

// --- Within a node ---

// The name stays, and is gone when the next execution begins.
void server_with_unix_sockets() {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strcpy(address.sun_path, "socket-of-a-node");
  const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  assert(bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  assert(listen(listener, 4) == 0);
  std::thread other([&] {
    const int number = socket(AF_UNIX, SOCK_STREAM, 0);
    assert(connect(number, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    assert(send_text(number, "hello"));
    close(number);
  });
  const int client = accept(listener, nullptr, nullptr);
  assert(receive_text(client) == "hello" && receive_text(client).empty());
  other.join();
  close(listener);
}

// More connections, one after the other, than there is room for at one time.
constexpr int connections = 700;

void server_of_many_connections() {
  const int listener = listening_socket(7000);
  for (int i = 0; i < connections; ++i) {
    const int client = accept(listener, nullptr, nullptr);
    assert(receive_text(client) == "x");
    close(client);
  }
}

void client_of_many_connections() {
  for (int i = 0; i < connections; ++i) {
    const int server = connect_to_server();
    assert(send_text(server, "x") && receive_text(server).empty());
    close(server);
  }
}

// --- Random numbers ---

void server_with_a_number() {
  const std::string number = std::to_string(std::random_device()());
  const int listener = listening_socket(7000);
  for (;;) {
    const int client = accept(listener, nullptr, nullptr);
    send_text(client, number);
    close(client);
  }
}

std::string number_of_server() {
  std::string number;
  while (number.empty()) number = receive_text(connect_to_server());
  return number;
}

// It is the same as long as the server lives.
void client_that_compares() {
  const std::string own = std::to_string(std::random_device()());
  const std::string first = number_of_server();
  assert(first != own);
  assert(number_of_server() == first && "the server is the same");
}

void nothing() {}
void connects() { connect_to_server(); }

}  // namespace

int main(int, char** arguments) {
  const std::map<std::string, std::pair<std::function<void()>, std::function<void()>>> cases = {
      {"reset", {server_that_resets, client_that_is_reset}},
      {"read-reset", {server_that_resets, client_that_reads_the_reset}},
      {"refused", {nothing, client_that_is_refused}},
      {"hang-up", {server_that_ends, client_that_ends}},
      {"pipe", {server_that_resets, client_with_a_handler}},
      {"killed", {server_that_resets, client_that_does_not_know_of_signals}},
      {"names", {server_with_names, client_with_names}},
      {"loopback", {server_for_itself, client_that_stays_outside}},
      {"version-6", {server_of_version_6, connects}},
      {"options", {server_with_options, nothing}},
      {"several", {server_of_several, client_of_several}},
      {"unreachable", {server_without_a_port, nothing}},
      {"linger", {server_that_is_left_abruptly, client_that_leaves_abruptly}},
      {"inherited", {server_with_a_time_limit, client_that_says_nothing}},
      {"lines", {server_of_lines, client_of_lines}},
      {"file", {server_of_a_file, client_with_a_file}},
      {"locks", {server_that_locks, client_that_waits_for_a_lock}},
      {"interfaces", {server_with_interfaces, nothing}},
      {"looked-up", {server_that_looks_up, nothing}},
      {"destinations", {server_that_knows_destinations, nothing}},
      {"lives", {server_with_a_number, client_that_compares}},
      {"unix", {server_with_unix_sockets, nothing}},
      {"many", {server_of_many_connections, client_of_many_connections}},
  };
  const auto& [server, client] = cases.at(arguments[1]);
  std::string(arguments[2]) == "server" ? server() : client();
}
