// Threads that meet in the file system. The first argument says where; with `ordered` as the second
// one a mutex keeps them apart, and nothing is wrong.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cassert>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>

namespace {

constexpr const char* file = "meeting-point";
constexpr const char* other_file = "meeting-point.new";

int make_file(int flags = 0) { return open(file, O_CREAT | O_RDWR | flags, 0600); }
bool exists(const char* path) { return access(path, F_OK) == 0; }

void make_with(const char* text) {
  const int number = make_file(O_TRUNC);
  assert(write(number, text, std::strlen(text)) == static_cast<ssize_t>(std::strlen(text)));
  close(number);
}

off_t size_of(const char* path) {
  struct stat status;
  return stat(path, &status) == 0 ? status.st_size : -1;
}

struct Meeting {
  const char* name;
  void (*before)();
  void (*one)();
  void (*two)();
};

int shared = -1;

const Meeting meetings[] = {
    {"create_and_access", [] {},
     [] {
       close(make_file());
       unlink(file);
     },
     [] { assert(!exists(file)); }},
    {"stream_and_access", [] {},
     [] {
       fclose(fopen(file, "w"));
       std::remove(file);
     },
     [] { assert(!exists(file)); }},
    {"rename_and_open", [] { make_with("old"); },
     [] {
       rename(file, other_file);
       rename(other_file, file);
     },
     [] {
       const int number = open(file, O_RDONLY);
       assert(number >= 0);
       close(number);
     }},
    {"folder_and_open", [] {},
     [] {
       mkdir("meeting-folder", 0700);
       rmdir("meeting-folder");
     },
     [] { assert(open("meeting-folder", O_RDONLY) < 0); }},
    {"write_and_status", [] { make_with(""); },
     [] {
       const int number = make_file();
       assert(write(number, "ab", 2) == 2);
       assert(ftruncate(number, 0) == 0);
       close(number);
     },
     [] { assert(size_of(file) == 0); }},
    {"truncate_and_read", [] { make_with("full"); },
     [] {
       assert(truncate(file, 0) == 0);
       make_with("full");
     },
     [] {
       char text[4];
       const int number = open(file, O_RDONLY);
       assert(read(number, text, 4) == 4);
       close(number);
     }},
    {"shared_offset", [] { shared = make_file(O_TRUNC); },
     [] {
       assert(lseek(shared, 0, SEEK_SET) == 0);
       assert(write(shared, "one", 3) == 3);
     },
     [] {
       assert(lseek(shared, 0, SEEK_SET) == 0);
       assert(write(shared, "two", 3) == 3);
       assert(lseek(shared, 0, SEEK_CUR) == 3);
     }},
    {"contents", [] { shared = make_file(O_TRUNC); },
     [] {
       assert(pwrite(shared, "1", 1, 0) == 1);
       assert(pwrite(shared, "1", 1, 1) == 1);
     },
     [] {
       char text[2] = {};
       assert(pread(shared, text, 2, 0) != 1);
     }},
    {"closed_twice", [] { shared = make_file(O_TRUNC); },
     [] {
       close(shared);
       close(shared);
     },
     [] {
       const int number = open(file, O_WRONLY);
       assert(write(number, "x", 1) == 1);
       close(number);
     }},
    {"lock_without_waiting", [] { make_with(""); },
     [] {
       const int number = make_file();
       flock(number, LOCK_EX);
       flock(number, LOCK_UN);
       close(number);
     },
     [] {
       const int number = make_file();
       assert(flock(number, LOCK_EX | LOCK_NB) == 0);
       close(number);
     }},
};

// Both are right: the first to create the file has it, and locks of open files exclude each other.
int inside = 0;

void with_lock_file() {
  const int number = make_file(O_EXCL);
  if (number < 0) return;
  assert(++inside == 1);
  --inside;
  close(number);
  unlink(file);
}

void with_file_lock() {
  const int number = make_file();
  struct flock64 lock = {};
  lock.l_type = F_WRLCK;
  assert(fcntl(number, F_OFD_SETLKW, &lock) == 0);
  assert(++inside == 1);
  --inside;
  lock.l_type = F_UNLCK;
  assert(fcntl(number, F_OFD_SETLK, &lock) == 0);
  close(number);
}

const Meeting right[] = {
    {"lock_file", [] {}, with_lock_file, with_lock_file},
    {"file_lock", [] { make_with(""); }, with_file_lock, with_file_lock},
};

void run(const Meeting& meeting, bool ordered) {
  static std::mutex mutex;
  unlink(file);
  unlink(other_file);
  meeting.before();
  const auto in_turn = [&](void (*part)()) {
    std::unique_lock<std::mutex> lock(mutex, std::defer_lock);
    if (ordered) lock.lock();
    part();
  };
  std::thread one(in_turn, meeting.one);
  std::thread two(in_turn, meeting.two);
  one.join();
  two.join();
  if (shared >= 0) close(shared);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) return 2;
  const bool ordered = std::strcmp(arguments[2], "ordered") == 0;
  for (const Meeting& meeting : meetings) {
    if (std::strcmp(meeting.name, arguments[1]) == 0) return run(meeting, ordered), 0;
  }
  for (const Meeting& meeting : right) {
    if (std::strcmp(meeting.name, arguments[1]) == 0) return run(meeting, ordered), 0;
  }
  return 2;
}
