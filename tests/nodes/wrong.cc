// What goes wrong in a node: `crash`, `race`, `deadlock`, `port` (taken twice), `outside` (an
// address that is not in the cluster), `fork`.
#include <mutex>
#include <thread>

#include "../../examples/nodes/net.h"

namespace {

int shared = 0;
std::mutex one;
std::mutex two;

void lock_both(std::mutex& first, std::mutex& second) {
  const std::lock_guard outer(first);
  const std::lock_guard inner(second);
}

}  // namespace

int main(int, char** arguments) {
  const std::string way = arguments[1];
  if (way == "crash") *static_cast<volatile int*>(nullptr) = 1;
  if (way == "race") {
    std::thread other([] { ++shared; });
    ++shared;
    other.join();
  }
  if (way == "deadlock") {
    std::thread other([] { lock_both(two, one); });
    lock_both(one, two);
    other.join();
  }
  if (way == "port") {
    bound_socket(SOCK_STREAM, 7000);
    const int second = socket(AF_INET, SOCK_STREAM, 0);
    const sockaddr_in address = address_of(nullptr, 7000);
    if (bind(second, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return 7;
  }
  if (way == "outside") {
    const int number = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address = address_of(nullptr, 80);
    address.sin_addr.s_addr = htonl(0x08080808);
    if (connect(number, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
      return 8;
    }
  }
  if (way == "fork") fork();
  if (way == "daemon" && daemon(1, 1) != 0) return 9;
  if (way == "system" && std::system("true") != 0) return 9;
  if (way == "family") socket(AF_NETLINK, SOCK_RAW, 0);
  while (way == "waits") sleep(1);
}
