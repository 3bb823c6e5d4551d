// What goes wrong with calls. The first word says what the node does; a `careless` one does not
// look at what its calls return.
//   write careful|careless    writes to a file and reads it again
//   flush careful|careless    writes to a stream, flushes it, and reads the file
//   end careful|careless      the same, and closes it
//   print, puts, put careful|careless  write more to a stream than its buffer takes
//   sync careful|careless     believes that fsync() cannot fail
//   serve careful|careless    expects five bytes in one piece
//   ask                       sends them
#include <errno.h>
#include <fcntl.h>

#include "../../examples/nodes/net.h"

namespace {

// False: the disk is full.
bool write_all(int file, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t size = write(file, text.data() + done, text.size() - done);
    if (size < 0 && errno == ENOSPC) return false;
    if (size > 0) done += static_cast<std::size_t>(size);
  }
  return true;
}

std::string read_all(const char* name) {
  const int file = open(name, O_RDONLY);
  std::string text;
  char part[16];
  for (ssize_t size; (size = read(file, part, sizeof part)) > 0;) {
    text.append(part, static_cast<std::size_t>(size));
  }
  close(file);
  return text;
}

void write_file(bool is_careful) {
  const int file = open("data", O_CREAT | O_WRONLY, 0644);
  const std::string text = "abcdef";
  const bool is_there = is_careful ? write_all(file, text) : write(file, text.data(), 6) != 0;
  close(file);
  assert(!is_there || read_all("data") == text);
}

// What could not be written is not written later.
void write_stream(bool is_careful, bool closes) {
  std::FILE* stream = std::fopen("data", "w");
  std::fputs("abcdef", stream);
  const bool has_failed = (closes ? std::fclose(stream) : std::fflush(stream)) != 0;
  assert(!has_failed || errno == EIO || errno == ENOSPC);
  assert(read_all("data") == (has_failed && is_careful ? "" : "abcdef"));
  if (closes) return;
  assert(std::ferror(stream) == (has_failed ? 1 : 0));
  std::clearerr(stream);
  std::fputs("gh", stream);
  if (std::fclose(stream) != 0) return;
  assert(read_all("data") == (has_failed ? "gh" : "abcdefgh"));
}

// More than there is room for.
void fill_stream(const std::string& how, bool is_careful) {
  char room[256];
  const std::string first(250, 'a'), rest(20, 'b');
  std::FILE* stream = std::fopen("data", "w");
  setvbuf(stream, room, _IOFBF, sizeof room);
  std::fputs(first.c_str(), stream);
  int result = 0;
  if (how == "print") result = std::fprintf(stream, "%s", rest.c_str());
  if (how == "puts") result = std::fputs(rest.c_str(), stream);
  for (std::size_t i = 0; how == "put" && i < rest.size(); ++i) {
    if (std::fputc(rest[i], stream) == EOF) result = -1;
  }
  const bool has_failed = result < 0;
  assert(!has_failed || errno == EIO || errno == ENOSPC);
  const bool is_closed = std::fclose(stream) == 0;
  assert(has_failed || !is_closed || read_all("data") == first + rest);
  assert(is_careful || !has_failed);
}

void sync_file(bool is_careful) {
  const int file = open("data", O_CREAT | O_WRONLY, 0644);
  const int result = fsync(file);
  assert(is_careful || result == 0);
  close(file);
}

void serve(bool is_careful) {
  const int listener = listening_socket(7000);
  const int client = accept(listener, nullptr, nullptr);
  std::string text = receive_text(client);
  while (is_careful && text.size() < 5) text += receive_text(client);
  assert(text == "hello");
  close(client);
}

}  // namespace

int main(int, char** arguments) {
  const std::string what = arguments[1];
  if (what == "ask") {
    const int server = connected_socket("server", 7000);
    assert(server >= 0 && send_text(server, "hello"));
    receive_text(server);
    return 0;
  }
  const bool is_careful = std::string(arguments[2]) == "careful";
  if (what == "write") write_file(is_careful);
  if (what == "flush" || what == "end") write_stream(is_careful, what == "end");
  if (what == "print" || what == "puts" || what == "put") fill_stream(what, is_careful);
  if (what == "sync") sync_file(is_careful);
  if (what == "serve") serve(is_careful);
  return 0;
}
