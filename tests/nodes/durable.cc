// Replaces a file as one should: writes another one, syncs it, renames it, syncs the folder; with
// `careless` the file is not synced. Run again after a crash, it finds what has survived: that must
// be one of the states that are possible, and not the one that is named.
//
//   durable careful|careless STATE
//   durable client: an execution lasts as long as it does
#include <fcntl.h>
#include <unistd.h>

#include <cassert>
#include <cstdlib>
#include <string>

namespace {

// A disk that fails is not what this is about.
void expect_done(bool is_done) {
  if (!is_done) exit(0);
}

std::string contents(const char* name) {
  const int file = open(name, O_RDONLY);
  if (file < 0) return "";
  char text[16];
  const ssize_t size = read(file, text, sizeof text);
  close(file);
  return std::string(name) + "=" + std::string(text, static_cast<std::size_t>(size));
}

void sync_name(const char* name) {
  const int file = open(name, O_RDONLY);
  expect_done(fsync(file) == 0);
  close(file);
}

void replace(bool is_careful) {
  const int file = open("new", O_CREAT | O_WRONLY, 0644);
  expect_done(write(file, "ab", 2) == 2);
  if (is_careful) expect_done(fsync(file) == 0);
  expect_done(write(file, "c", 1) == 1);
  close(file);
  assert(rename("new", "log") == 0);
  sync_name(".");
  sleep(1);
}

void expect_possible(const std::string& state, bool is_careful) {
  bool is_possible = !is_careful && state == "log=";
  for (const char* possible : {"", "new=", "new=ab", "new=abc", "log=ab", "log=abc"}) {
    is_possible = is_possible || state == possible;
  }
  if (!is_careful)
    is_possible =
        is_possible || state == std::string("log=\0\0c", 7) || state == std::string("new=\0\0c", 7);
  assert(is_possible);
}

}  // namespace

int main(int, char** arguments) {
  if (std::string(arguments[1]) == "client") {
    sleep(1);
    return 0;
  }
  const bool is_careful = std::string(arguments[1]) == "careful";
  if (access("begun", F_OK) != 0) {
    close(open("begun", O_CREAT | O_WRONLY, 0644));
    sync_name(".");
    replace(is_careful);
    return 0;
  }
  const std::string state = contents("new") + contents("log");
  expect_possible(state, is_careful);
  assert(state != arguments[2]);
  return 0;
}
