// A server that polls with a time limit, and nobody who would ever write to it.
#include <poll.h>
#include <unistd.h>

#include <thread>

int main() {
  int ends[2];
  if (pipe(ends) != 0) return 0;
  std::thread server([&ends] {
    pollfd entry = {ends[0], POLLIN, 0};
    while (poll(&entry, 1, 1000) == 0) {
    }
  });
  server.join();
  return 0;
}
