// What a node may call besides sockets to others; each argument is a way, and all of it is as in
// Linux: `descriptors`, `timers`, `messages`, `files`, `identity`.
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/utsname.h>

#include <thread>

#include "../../examples/nodes/net.h"

namespace {

std::string read_text(int number) {
  char text[64];
  const ssize_t size = read(number, text, sizeof text);
  return size <= 0 ? std::string() : std::string(text, static_cast<std::size_t>(size));
}

bool becomes_readable(int number, long milliseconds) {
  fd_set numbers;
  FD_ZERO(&numbers);
  FD_SET(number, &numbers);
  const timespec limit{0, milliseconds * 1000000};
  const bool by_select = pselect(number + 1, &numbers, nullptr, nullptr, &limit, nullptr) == 1;
  pollfd entry{number, POLLIN, 0};
  const bool by_poll = ppoll(&entry, 1, &limit, nullptr) == 1;
  assert(by_poll || !by_select);
  return by_poll;
}

void use_descriptors() {
  int ends[2], pair[2];
  assert(pipe(ends) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
  const int event = eventfd(0, 0);
  assert(!becomes_readable(ends[0], 5));
  std::thread other([&] {
    assert(write(ends[1], "pipe", 4) == 4);
    assert(read_text(pair[1]) == "there");
    assert(write(pair[1], "back", 4) == 4);
    assert(eventfd_write(event, 7) == 0);
  });
  assert(read_text(ends[0]) == "pipe");
  assert(write(pair[0], "there", 5) == 5);
  assert(read_text(pair[0]) == "back");
  eventfd_t value = 0;
  assert(eventfd_read(event, &value) == 0 && value == 7);
  other.join();
}

volatile sig_atomic_t alarms = 0;

void use_timers() {
  const int timer = timerfd_create(CLOCK_MONOTONIC, 0);
  const itimerspec soon{{0, 0}, {3600, 0}};  // nobody waits that long
  assert(timerfd_settime(timer, 0, &soon, nullptr) == 0);
  std::uint64_t times = 0;
  assert(read(timer, &times, sizeof times) == sizeof times && times == 1);
  signal(SIGALRM, [](int) { alarms = alarms + 1; });
  const itimerval once{{0, 0}, {60, 0}};
  assert(setitimer(ITIMER_REAL, &once, nullptr) == 0);
  while (alarms == 0) usleep(10000000);
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR1);
  assert(sigprocmask(SIG_BLOCK, &signals, nullptr) == 0);
  const int arrivals = signalfd(-1, &signals, 0);
  raise(SIGUSR1);
  signalfd_siginfo about{};
  assert(read(arrivals, &about, sizeof about) == sizeof about && about.ssi_signo == SIGUSR1);
}

void use_messages() {
  const int listener = listening_socket(7000);
  std::thread other([&] {
    const int number = connected_socket("localhost", 7000);
    char first[] = "one", second[] = "two";
    iovec parts[] = {{first, 3}, {second, 3}};
    msghdr message{};
    message.msg_iov = parts;
    message.msg_iovlen = 2;
    assert(sendmsg(number, &message, 0) == 6);
    assert(writev(number, parts, 2) == 6);
    assert(receive_text(number).empty());
  });
  const int client = accept(listener, nullptr, nullptr);
  char left[4] = "", right[8] = "";
  iovec parts[] = {{left, 3}, {right, 3}};
  msghdr message{};
  message.msg_iov = parts;
  message.msg_iovlen = 2;
  assert(recvmsg(client, &message, MSG_WAITALL) == 6);
  assert(std::string(left) + right == "onetwo");
  for (ssize_t size = 0, done = 0; done < 6; done += size) {
    iovec all[] = {{left, 3}, {right, static_cast<std::size_t>(6 - done)}};
    size = readv(client, all, 2);
    assert(size > 0);
  }
  close(client);
  other.join();
}

// None of it is there when the next execution begins.
void use_files() {
  struct stat status {};
  assert(stat("folder", &status) == -1 && errno == ENOENT);
  assert(mkdir("folder", 0700) == 0);
  const int file = open("folder/file", O_RDWR | O_CREAT | O_EXCL, 0600);
  assert(write(file, "0123456789", 10) == 10 && pwrite(file, "ab", 2, 4) == 2);
  char text[8] = "";
  assert(pread(file, text, 4, 3) == 4 && std::string(text) == "3ab6");
  assert(lseek(file, -2, SEEK_END) == 8 && read_text(file) == "89");
  assert(ftruncate(file, 4) == 0 && fdatasync(file) == 0);
  assert(link("folder/file", "folder/other") == 0);
  assert(fstat(file, &status) == 0 && status.st_size == 4 && status.st_nlink == 2);
  void* shared = mmap(nullptr, 4, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  void* own = mmap(nullptr, 4, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
  std::memcpy(own, "own ", 4);
  std::memcpy(shared, "both", 4);
  assert(pread(file, text, 4, 0) == 4 && std::string(text, 4) == "both");
  assert(rename("folder/other", "folder/new") == 0 && unlink("folder/file") == 0);
  int names = 0;
  DIR* folder = opendir("folder");
  while (readdir(folder) != nullptr) ++names;
  closedir(folder);
  assert(names == 3);
}

void look_who_it_is() {
  char name[64] = "";
  utsname about{};
  assert(gethostname(name, sizeof name) == 0 && std::string(name) == "one");
  assert(uname(&about) == 0 && std::string(about.nodename) == "one");
  assert(getpid() == 4000);
  std::uint64_t numbers[2] = {};
  assert(getrandom(numbers, sizeof numbers, 0) == sizeof numbers && numbers[0] != numbers[1]);
}

}  // namespace

int main(int, char** arguments) {
  const std::string way = arguments[1];
  if (way == "descriptors") use_descriptors();
  if (way == "timers") use_timers();
  if (way == "messages") use_messages();
  if (way == "files") use_files();
  if (way == "identity") look_who_it_is();
}
