// Two nodes agree on who leads: each tells the other its name, and the smaller one leads. Who hears
// nothing in time leads, too ("hasty"), or does not ("careful").
#include <poll.h>
#include <ricercar/log.h>

#include "../../examples/nodes/net.h"

int main(int, char** arguments) {
  const std::string name = arguments[1];
  const std::string mode = arguments[3];
  const int number = bound_socket(SOCK_DGRAM, 7000);
  const sockaddr_in peer = address_of(arguments[2], 7000);
  ricercar::log("start", "name, load", name, 0.5);
  sendto(number, name.data(), name.size(), 0, reinterpret_cast<const sockaddr*>(&peer),
         sizeof peer);
  pollfd entry = {number, POLLIN, 0};
  const bool has_heard = poll(&entry, 1, 100) == 1;
  const bool leads = has_heard ? name < receive_text(number) : mode == "hasty";
  ricercar::log("elected", "leads,heard", leads, has_heard ? -1 : 0);
  usleep(1000);
  ricercar::forget("heard");
}
