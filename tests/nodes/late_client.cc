// A server that counts how often a second has passed, until a client has come; and the client,
// which fails if it was more often than it says.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

#include "../../examples/nodes/net.h"

namespace {

std::atomic<bool> is_there = false;
std::atomic<int> seconds = 0;

void count() {
  while (!is_there) {
    std::this_thread::sleep_for(std::chrono::seconds(1));
    ++seconds;
  }
}

void serve() {
  const int listener = listening_socket(7000);
  std::thread counts(count);
  const int client = accept(listener, nullptr, nullptr);
  is_there = true;
  receive_text(client);
  send_text(client, std::to_string(seconds));
  counts.join();
}

}  // namespace

int main(int count_of_arguments, char** arguments) {
  if (count_of_arguments == 1) {
    serve();
    return 0;
  }
  const int server = connected_socket("server", 7000);
  send_text(server, "how long?");
  if (std::stoi(receive_text(server)) > std::stoi(arguments[1])) std::abort();
}
