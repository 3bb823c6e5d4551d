// A server in which one thread waits, for ten seconds at most, until another one has got a request;
// and a client that sends one. It comes in time, if time passes only where nobody can go on.
#include <netdb.h>

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "../../examples/nodes/net.h"

namespace {

std::mutex mutex;
std::condition_variable changed;
bool is_there = false;

void wait_for_request() {
  std::unique_lock lock(mutex);
  if (!changed.wait_for(lock, std::chrono::seconds(10), [] { return is_there; })) std::abort();
}

void serve() {
  std::thread waits(wait_for_request);
  const int client = accept(listening_socket(7000), nullptr, nullptr);
  receive_text(client);
  {
    const std::lock_guard guard(mutex);
    is_there = true;
  }
  changed.notify_all();
  waits.join();
  send_text(client, "yes");
}

}  // namespace

int main(int count, char**) {
  if (count == 1) {
    serve();
    return 0;
  }
  const int server = connected_socket("server", 7000);
  send_text(server, "ready?");
  return receive_text(server) == "yes" ? 0 : 3;
}
