// How long each call takes: the same program natively and as a node. Prints a line for each:
// NANOSECONDS NAME.
#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "dara/programs/real_time.h"

namespace {

constexpr const char* file_name = "calls.tmp";
constexpr const char* other_name = "calls.other";

// What the calls work on.
int file, datagrams, pair[2], pipe_ends[2], epoll, listener;
sockaddr_in own_address, listener_address;
char bytes[64];
char place[4096];

int bound_socket(int type, sockaddr_in& address) {
  const int made = ::socket(AF_INET, type, 0);
  socklen_t size = sizeof address;
  address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ::bind(made, reinterpret_cast<sockaddr*>(&address), sizeof address);
  ::getsockname(made, reinterpret_cast<sockaddr*>(&address), &size);
  return made;
}

void prepare() {
  file = ::open(file_name, O_RDWR | O_CREAT | O_TRUNC, 0666);
  if (file < 0 || ::write(file, bytes, sizeof bytes) < 0) std::abort();
  datagrams = bound_socket(SOCK_DGRAM, own_address);
  listener = bound_socket(SOCK_STREAM, listener_address);
  ::listen(listener, 4);
  if (::socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0 || ::pipe(pipe_ends) != 0) std::abort();
  epoll = ::epoll_create1(0);
}

void keep(ssize_t result) {
  if (result < 0) std::abort();
}

const sockaddr* as_address(const sockaddr_in& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

void connect_once() {
  const int client = ::socket(AF_INET, SOCK_STREAM, 0);
  keep(::connect(client, as_address(listener_address), sizeof listener_address));
  const int server = ::accept(listener, nullptr, nullptr);
  ::close(server);
  ::close(client);
}

void read_folder() {
  DIR* folder = ::opendir(".");
  while (::readdir(folder) != nullptr) {
  }
  ::closedir(folder);
}

void resolve() {
  addrinfo* list = nullptr;
  keep(-::getaddrinfo("127.0.0.1", nullptr, nullptr, &list));
  ::freeaddrinfo(list);
}

struct Call {
  const char* name;
  int rounds;
  void (*run)();
};

std::mutex mutex;
void* volatile allocated;

const Call calls[] = {
    {"getpid", 2000, [] { keep(::getpid()); }},
    {"clock_gettime", 2000,
     [] {
       timespec now;
       keep(::clock_gettime(CLOCK_MONOTONIC, &now));
     }},
    {"time", 2000, [] { keep(::time(nullptr)); }},
    {"getrandom", 500, [] { keep(::getrandom(bytes, 8, 0)); }},
    {"getcwd", 500, [] { keep(::getcwd(place, sizeof place) != nullptr ? 0 : -1); }},
    {"gethostname", 500, [] { keep(::gethostname(bytes, sizeof bytes)); }},
    {"getaddrinfo", 100, resolve},
    {"malloc, free", 2000,
     [] {
       allocated = std::malloc(100);
       std::free(allocated);
     }},
    {"open, close", 200, [] { keep(::close(::open(file_name, O_RDONLY))); }},
    {"stat", 200,
     [] {
       struct stat facts;
       keep(::stat(file_name, &facts));
     }},
    {"fstat", 200,
     [] {
       struct stat facts;
       keep(::fstat(file, &facts));
     }},
    {"access", 200, [] { keep(::access(file_name, R_OK)); }},
    {"chmod", 200, [] { keep(::chmod(file_name, 0666)); }},
    {"lseek", 200, [] { keep(::lseek(file, 0, SEEK_SET)); }},
    {"read", 200, [] { keep(::read(file, bytes, 1)); }},
    {"pread", 200, [] { keep(::pread(file, bytes, 8, 0)); }},
    {"write", 200, [] { keep(::write(file, bytes, 8)); }},
    {"pwrite", 200, [] { keep(::pwrite(file, bytes, 8, 0)); }},
    {"ftruncate", 200, [] { keep(::ftruncate(file, sizeof bytes)); }},
    {"fsync", 20, [] { keep(::fsync(file)); }},
    {"rename there and back", 100,
     [] {
       keep(::rename(file_name, other_name));
       keep(::rename(other_name, file_name));
     }},
    {"link, unlink", 100,
     [] {
       keep(::link(file_name, other_name));
       keep(::unlink(other_name));
     }},
    {"mkdir, rmdir", 100,
     [] {
       keep(::mkdir(other_name, 0777));
       keep(::rmdir(other_name));
     }},
    {"opendir, readdir, closedir", 100, read_folder},
    {"pipe: write, read", 200,
     [] {
       keep(::write(pipe_ends[1], bytes, 8));
       keep(::read(pipe_ends[0], bytes, 8));
     }},
    {"poll without waiting", 200,
     [] {
       pollfd entry = {datagrams, POLLIN, 0};
       keep(::poll(&entry, 1, 0));
     }},
    {"epoll_wait without waiting", 200,
     [] {
       epoll_event event;
       keep(::epoll_wait(epoll, &event, 1, 0));
     }},
    {"socket, close", 200, [] { keep(::close(::socket(AF_INET, SOCK_DGRAM, 0))); }},
    {"setsockopt", 200,
     [] {
       const int yes = 1;
       keep(::setsockopt(datagrams, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes));
     }},
    {"datagram: sendto, recv", 200,
     [] {
       keep(::sendto(datagrams, bytes, 8, 0, as_address(own_address), sizeof own_address));
       keep(::recv(datagrams, bytes, 8, 0));
     }},
    {"socketpair: send, recv", 200,
     [] {
       keep(::send(pair[0], bytes, 8, 0));
       keep(::recv(pair[1], bytes, 8, 0));
     }},
    {"connect, accept, close", 50, connect_once},
    {"lock, unlock a mutex", 2000, [] { const std::lock_guard guard(mutex); }},
    {"sched_yield", 200, [] { keep(::sched_yield()); }},
    {"nanosleep of 1 ns", 50,
     [] {
       const timespec shortest = {0, 1};
       keep(::nanosleep(&shortest, nullptr));
     }},
    {"create and join a thread", 50, [] { std::thread([] {}).join(); }},
};

// The best of several rounds.
double nanoseconds_of(const Call& call) {
  std::uint64_t best = ~std::uint64_t{0};
  for (int i = 0; i < 5; ++i) {
    const std::uint64_t start = real_nanoseconds();
    for (int round = 0; round < call.rounds; ++round) call.run();
    best = std::min(best, real_nanoseconds() - start);
  }
  return static_cast<double>(best) / call.rounds;
}

}  // namespace

int main() {
  prepare();
  for (const Call& call : calls) {
    std::printf("%.1f %s\n", nanoseconds_of(call), call.name);
    std::fflush(stdout);
  }
  ::unlink(file_name);
}
