// A poll without time-out on a pipe to which nobody writes.
// options: --hang 1
#include <poll.h>
#include <unistd.h>

#include <thread>

namespace {

int ends[2];

void wait_for_input() {
  pollfd entry = {ends[0], POLLIN, 0};
  poll(&entry, 1, -1);  // <- bug: fails
}

}  // namespace

int main() {
  if (pipe(ends) != 0) return 0;
  std::thread waiter(wait_for_input);
  waiter.join();
  return 0;
}
