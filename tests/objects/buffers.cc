// Memory that the C library or the kernel reads or fills. The first argument says by which call;
// the second one what is wrong: `race`: another thread touches the memory at the same time;
// `freed`: it was freed before; `ordered`: nothing.
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

namespace {

constexpr std::size_t size = 64;

struct Call {
  const char* name;
  bool writes;
  void (*make)(char* memory);
};

FILE* text_stream(const char* text) {
  static char copy[64];
  std::strcpy(copy, text);
  return fmemopen(copy, std::strlen(copy), "r");
}

int pipe_with(const char* text) {
  int ends[2];
  if (pipe(ends) != 0) std::abort();
  if (write(ends[1], text, std::strlen(text)) < 0) std::abort();
  close(ends[1]);
  return ends[0];
}

int null_device() { return open("/dev/null", O_WRONLY); }

int print_list(char* memory, const char* format, ...) {
  va_list list;
  va_start(list, format);
  const int result = vsnprintf(memory, size, format, list);
  va_end(list);
  return result;
}

FILE* null_stream() {
  static FILE* stream = fopen("/dev/null", "w");
  return stream;
}

const char* volatile number_format = "%d";
const char* volatile text_format = "%-4s|%.*f|%s";

const Call calls[] = {
    {"read", true, [](char* m) { assert(read(pipe_with("abc"), m, size) == 3); }},
    {"readv", true,
     [](char* m) {
       const iovec part = {m, size};
       assert(readv(pipe_with("abc"), &part, 1) == 3);
     }},
    {"pread", true,
     [](char* m) { assert(pread(open("/proc/self/cmdline", O_RDONLY), m, 4, 0) == 4); }},
    {"recv", true,
     [](char* m) {
       int ends[2];
       socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
       send(ends[1], "abc", 3, 0);
       assert(recv(ends[0], m, size, 0) == 3);
     }},
    {"send", false,
     [](char* m) {
       int ends[2];
       socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
       send(ends[1], m, 3, 0);
     }},
    {"write", false, [](char* m) { assert(write(null_device(), m, 3) == 3); }},
    {"pwrite", false, [](char* m) { pwrite(null_device(), m, 3, 0); }},
    {"writev", false,
     [](char* m) {
       const iovec part = {m, 3};
       assert(writev(null_device(), &part, 1) == 3);
     }},
    {"poll", true,
     [](char* m) {
       auto* entry = reinterpret_cast<pollfd*>(m);
       entry->fd = pipe_with("abc");
       entry->events = POLLIN;
       assert(poll(entry, 1, 0) == 1);
     }},
    {"epoll", true,
     [](char* m) {
       const int epoll = epoll_create1(0);
       epoll_event event = {EPOLLIN, {}};
       epoll_ctl(epoll, EPOLL_CTL_ADD, pipe_with("abc"), &event);
       assert(epoll_wait(epoll, reinterpret_cast<epoll_event*>(m), 1, 0) == 1);
     }},
    {"fread", true, [](char* m) { assert(fread(m, 1, 3, text_stream("abcdef")) == 3); }},
    {"fgets", true, [](char* m) { assert(fgets(m, 10, text_stream("abc\ndef")) == m); }},
    {"getline", true,
     [](char* m) {
       auto* line = reinterpret_cast<char**>(m);
       static std::size_t room;
       *line = nullptr;
       assert(getline(line, &room, text_stream("abc\n")) == 4);
     }},
    {"fwrite", false, [](char* m) { fwrite(m, 1, 3, null_stream()); }},
    {"fputs", false, [](char* m) { fputs(m, null_stream()); }},
    {"puts", false, [](char* m) { puts(m); }},
    {"printf", false, [](char* m) { printf(text_format, "x", 2, 1.5, m); }},
    {"fprintf", false, [](char* m) { fprintf(null_stream(), text_format, m, 2, 1.5, "x"); }},
    {"snprintf", true, [](char* m) { snprintf(m, size, number_format, 12345); }},
    {"sprintf", true, [](char* m) { sprintf(m, number_format, 12345); }},
    {"vsnprintf", true, [](char* m) { print_list(m, "%d", 12345); }},
    {"sscanf_text", false,
     [](char* m) {
       int number;
       sscanf(m, "%d", &number);
     }},
    {"sscanf_number", true,
     [](char* m) { assert(sscanf("12 34", "%*d %d", reinterpret_cast<int*>(m)) == 1); }},
    {"sscanf_word", true, [](char* m) { assert(sscanf("word", "%[a-z]", m) == 1); }},
    {"strcat", true, [](char* m) { strcat(m, number_format); }},
    {"strdup", false, [](char* m) { std::free(strdup(m)); }},
    {"strchr", false, [](char* m) { assert(strchr(m, '2') != nullptr); }},
    {"strtol", false, [](char* m) { assert(strtol(m, nullptr, 10) == 123); }},
    {"strtod", false, [](char* m) { assert(strtod(m, nullptr) == 123); }},
    {"qsort", true,
     [](char* m) {
       qsort(m, 3, 1, [](const void* a, const void* b) {
         return *static_cast<const char*>(a) - *static_cast<const char*>(b);
       });
     }},
    {"clock_gettime", true,
     [](char* m) { clock_gettime(CLOCK_REALTIME, reinterpret_cast<timespec*>(m)); }},
    {"stat", true, [](char* m) { stat("/", reinterpret_cast<struct stat*>(m)); }},
    {"fstat", true, [](char* m) { fstat(0, reinterpret_cast<struct stat*>(m)); }},
    {"getcwd", true, [](char* m) { getcwd(m, 4096); }},
    {"readlink", true, [](char* m) { readlink("/proc/self/exe", m, 4); }},
    {"access", false, [](char* m) { access(m, F_OK); }},
    {"open", false, [](char* m) { open(m, O_RDONLY); }},
};

const Call& find(const char* name) {
  for (const Call& call : calls) {
    if (std::strcmp(call.name, name) == 0) return call;
  }
  std::fprintf(stderr, "no call %s\n", name);
  std::exit(2);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) return 2;
  const Call& call = find(arguments[1]);
  const std::string how = arguments[2];
  const bool is_large = std::strcmp(call.name, "getcwd") == 0;
  const std::size_t room = is_large ? 4096 : 256;
  char* memory = static_cast<char*>(std::malloc(room));
  std::memset(memory, 0, room);
  std::strcpy(memory, "123");
  if (how == "freed") std::free(memory);
  std::thread other([&] { call.make(memory); });
  volatile char* touched = memory;
  if (how == "race" && call.writes) assert(touched[0] + touched[3] != 1000);
  if (how == "race" && !call.writes) touched[0] = '1';
  other.join();
  if (how == "ordered") touched[0] = 1;
}
