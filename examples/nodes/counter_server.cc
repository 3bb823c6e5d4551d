// A number that clients read and write, with a thread for each of them.
#include <ricercar/log.h>

#include <mutex>
#include <thread>

#include "net.h"

namespace {

std::mutex mutex;
int number = 0;
int changes = 0;

std::string answer_to(const std::string& request) {
  const std::lock_guard guard(mutex);
  if (request.starts_with("set ")) number = std::stoi(request.substr(4));
  if (request == "add") ++number;
  if (request != "get") ricercar::log("changed", "number,changes", number, ++changes);
  return std::to_string(number);
}

void serve(int client) {
  for (std::string request; !(request = receive_text(client)).empty();) {
    if (!send_text(client, answer_to(request))) break;
  }
  close(client);
}

}  // namespace

int main() {
  const int listener = listening_socket(7000);
  for (;;) std::thread(serve, accept(listener, nullptr, nullptr)).detach();
}
