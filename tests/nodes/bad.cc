// What a cluster can be given that is wrong: `ends` at once, `judges` two askers by who comes
// first (`judges calmly`: without a fork), `asks` as one of them, looks for a host `outside`,
// connects to an address `abroad`, `binds` a port twice, `empties` a file, `writes` one for ever,
// or `measures` one: it fails if that has two bytes.
#include <fcntl.h>
#include <sys/stat.h>

#include "../../examples/nodes/net.h"

namespace {

// Who is asked by the first one alone has a bug; who is asked by the second one first forks.
int judge(bool is_calm) {
  const int number = bound_socket(SOCK_DGRAM, 7000);
  const std::string first = receive_text(number);
  if (first == "two" && !is_calm) fork();
  return first == "one" ? 3 : 0;
}

void ask(const char* name) {
  const int number = socket(AF_INET, SOCK_DGRAM, 0);
  const sockaddr_in address = address_of("judge", 7000);
  sendto(number, name, std::strlen(name), 0, reinterpret_cast<const sockaddr*>(&address),
         sizeof address);
}

void write_for_ever(const char* path) {
  const int file = open(path, O_WRONLY | O_CREAT, 0666);
  for (;;) {
    assert(write(file, "x", 1) == 1);
    usleep(1000);
  }
}

}  // namespace

int main(int count, char** arguments) {
  const std::string way = arguments[1];
  if (way == "judges") return judge(count > 2);
  if (way == "asks") ask(arguments[2]);
  if (way == "outside") {
    addrinfo* list = nullptr;
    assert(getaddrinfo("www.example.com", "80", nullptr, &list) == EAI_NONAME);
  }
  if (way == "abroad") {
    sockaddr_in address = address_of(nullptr, 80);
    address.sin_addr.s_addr = htonl(0xc0000201);  // 192.0.2.1
    const int number = socket(AF_INET, SOCK_STREAM, 0);
    assert(connect(number, reinterpret_cast<sockaddr*>(&address), sizeof address) == -1);
    assert(errno == ENETUNREACH);
  }
  if (way == "binds") {
    bound_socket(SOCK_STREAM, 7000);
    bound_socket(SOCK_STREAM, 7000);
  }
  if (way == "empties") return open(arguments[2], O_WRONLY | O_TRUNC) < 0 ? 1 : 0;
  if (way == "writes") write_for_ever(arguments[2]);
  if (way == "measures") {
    struct stat status {};
    return stat(arguments[2], &status) == 0 && status.st_size == 2 ? 3 : 0;
  }
}
