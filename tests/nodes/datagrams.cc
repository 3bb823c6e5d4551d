// `receive N`: waits for N datagrams. `send TEXT`: sends one. `ask TRIES`: sends a request again
// and again until an answer comes. `answer`: answers requests. `wait N`: sends a request and waits
// for the answer, N times. `poll`: sends one request and looks for the answer again and again.
// `date N`: asks N times, and looks at the date before and after. `measure N`: asks N times, and
// looks at a clock before and after each time.
#include <poll.h>
#include <time.h>

#include "../../examples/nodes/net.h"

namespace {

void send_to(int from, const char* host, const std::string& text) {
  const sockaddr_in to = address_of(host, 9000);
  assert(sendto(from, text.data(), text.size(), 0, reinterpret_cast<const sockaddr*>(&to),
                sizeof to) == static_cast<ssize_t>(text.size()));
}

void receive(int count) {
  const int number = bound_socket(SOCK_DGRAM, 9000);
  for (int i = 0; i < count; ++i) assert(!receive_text(number).empty());
}

void ask(int tries) {
  const int number = bound_socket(SOCK_DGRAM, 9001);
  for (int i = 0; i < tries; ++i) {
    send_to(number, "server", "request");
    pollfd entry = {number, POLLIN, 0};
    if (poll(&entry, 1, 100) == 1) {
      assert(receive_text(number) == "answer");
      return;
    }
  }
  assert(!"nobody has answered");
}

void wait_for_answers(int count) {
  const int number = bound_socket(SOCK_DGRAM, 9001);
  for (int i = 0; i < count; ++i) {
    send_to(number, "server", "request");
    assert(receive_text(number) == "answer");
  }
}

void look_for_answer() {
  const int number = bound_socket(SOCK_DGRAM, 9001);
  send_to(number, "server", "request");
  pollfd entry = {number, POLLIN, 0};
  while (poll(&entry, 1, 100) != 1) continue;
}

void look_at_date(int count) {
  const time_t before = time(nullptr);
  wait_for_answers(count);
  assert(time(nullptr) >= before);
}

void measure_answers(int count) {
  const int number = bound_socket(SOCK_DGRAM, 9001);
  for (int i = 0; i < count; ++i) {
    timespec before, after;
    clock_gettime(CLOCK_MONOTONIC, &before);
    send_to(number, "server", "request");
    assert(receive_text(number) == "answer");
    clock_gettime(CLOCK_MONOTONIC, &after);
    assert(after.tv_sec >= before.tv_sec);
  }
}

void answer() {
  const int number = bound_socket(SOCK_DGRAM, 9000);
  for (;;) {
    char text[64];
    sockaddr_in from{};
    socklen_t size = sizeof from;
    const ssize_t got =
        recvfrom(number, text, sizeof text, 0, reinterpret_cast<sockaddr*>(&from), &size);
    assert(got == 7 && size == sizeof from && ntohs(from.sin_port) == 9001);
    sendto(number, "answer", 6, 0, reinterpret_cast<const sockaddr*>(&from), sizeof from);
  }
}

}  // namespace

int main(int, char** arguments) {
  const std::string role = arguments[1];
  if (role == "receive") receive(std::atoi(arguments[2]));
  if (role == "send") send_to(socket(AF_INET, SOCK_DGRAM, 0), "receiver", arguments[2]);
  if (role == "ask") ask(std::atoi(arguments[2]));
  if (role == "answer") answer();
  if (role == "wait") wait_for_answers(std::atoi(arguments[2]));
  if (role == "measure") measure_answers(std::atoi(arguments[2]));
  if (role == "poll") look_for_answer();
  if (role == "date") look_at_date(std::atoi(arguments[2]));
}
