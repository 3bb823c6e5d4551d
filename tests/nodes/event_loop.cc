// A server with one thread, whatever the way in which it waits: `poll`, `select`, `epoll` or `edge`
// (epoll that tells of changes only). It gives back what it gets, and ends after N clients.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>

#include <set>
#include <vector>

#include "../../examples/nodes/net.h"

namespace {

std::set<int> open_numbers;
int listener;
int ended = 0;
int queue = -1;  // of epoll
bool by_edge = false;

void watch(int number) {
  fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK);
  open_numbers.insert(number);
  if (queue < 0) return;
  epoll_event event{};
  event.events = EPOLLIN | (by_edge ? static_cast<unsigned>(EPOLLET) : 0U);
  event.data.fd = number;
  assert(epoll_ctl(queue, EPOLL_CTL_ADD, number, &event) == 0);
}

void accept_all() {
  for (int number; (number = accept(listener, nullptr, nullptr)) >= 0;) watch(number);
  assert(errno == EAGAIN);
}

void serve(int number) {
  char text[64];
  ssize_t size;
  while ((size = recv(number, text, sizeof text, 0)) > 0) {
    assert(send(number, text, static_cast<std::size_t>(size), MSG_NOSIGNAL) == size);
  }
  if (size < 0 && errno == EAGAIN) return;
  open_numbers.erase(number);
  close(number);
  ++ended;
}

std::vector<int> ready_by_epoll() {
  epoll_event events[8];
  const int count = epoll_wait(queue, events, 8, -1);
  assert(count > 0);
  std::vector<int> ready;
  for (int i = 0; i < count; ++i) ready.push_back(events[i].data.fd);
  return ready;
}

std::vector<int> ready_by_poll() {
  std::vector<pollfd> entries;
  for (const int number : open_numbers) entries.push_back({number, POLLIN, 0});
  assert(poll(entries.data(), entries.size(), -1) > 0);
  std::vector<int> ready;
  for (const pollfd& entry : entries) {
    if (entry.revents != 0) ready.push_back(entry.fd);
  }
  return ready;
}

std::vector<int> ready_by_select() {
  fd_set set;
  FD_ZERO(&set);
  for (const int number : open_numbers) FD_SET(number, &set);
  assert(select(*open_numbers.rbegin() + 1, &set, nullptr, nullptr, nullptr) > 0);
  std::vector<int> ready;
  for (const int number : open_numbers) {
    if (FD_ISSET(number, &set)) ready.push_back(number);
  }
  return ready;
}

}  // namespace

int main(int, char** arguments) {
  const std::string way = arguments[1];
  const int clients = std::atoi(arguments[2]);
  by_edge = way == "edge";
  if (by_edge || way == "epoll") queue = epoll_create1(0);
  listener = listening_socket(7000);
  watch(listener);
  while (ended < clients) {
    const std::vector<int> ready = queue >= 0      ? ready_by_epoll()
                                   : way == "poll" ? ready_by_poll()
                                                   : ready_by_select();
    for (const int number : ready) number == listener ? accept_all() : serve(number);
  }
}
