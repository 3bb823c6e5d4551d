// `serve N`: counts in a file how often it was started, at most N times, and answers who asks.
// `ask`: asks it.
#include <fcntl.h>
#include <sys/stat.h>

#include "../../examples/nodes/net.h"

namespace {

long count_start() {
  const int file = open("how-often", O_CREAT | O_WRONLY | O_APPEND, 0644);
  assert(write(file, "x", 1) == 1);
  assert(fsync(file) == 0);
  struct stat status;
  assert(fstat(file, &status) == 0);
  close(file);
  const int folder = open(".", O_RDONLY | O_DIRECTORY);
  assert(fsync(folder) == 0);
  close(folder);
  return status.st_size;
}

void serve(long most) {
  assert(count_start() <= most);
  const int listener = listening_socket(7000);
  for (;;) {
    const int client = accept(listener, nullptr, nullptr);
    if (!receive_text(client).empty()) send_text(client, "yes");
    close(client);
  }
}

}  // namespace

int main(int, char** arguments) {
  if (std::string(arguments[1]) == "serve") serve(std::atol(arguments[2]));
  const int server = connected_socket("server", 7000);
  if (server < 0 || !send_text(server, "?")) return 0;
  receive_text(server);
  return 0;
}
