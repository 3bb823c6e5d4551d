// Two nodes agree on who leads: each tells the other its name, and the smaller one leads. Who hears
// nothing in time leads, too ("hasty"), or does not ("careful").
#include <poll.h>
#include <ricercar/log.h>

#include <atomic>

#include "../../examples/nodes/net.h"

namespace {

std::atomic<bool> is_leader = false;
double load = 0.5;
struct {
  short unused;
  signed char heard;
} state = {};
std::string own_name;

}  // namespace

int main(int, char** arguments) {
  const std::string name = arguments[1];
  const std::string mode = arguments[3];
  const int number = bound_socket(SOCK_DGRAM, 7000);
  const sockaddr_in peer = address_of(arguments[2], 7000);
  own_name = name;
  ricercar::log("start", "name, load", name, load);
  sendto(number, name.data(), name.size(), 0, reinterpret_cast<const sockaddr*>(&peer),
         sizeof peer);
  pollfd entry = {number, POLLIN, 0};
  const bool has_heard = poll(&entry, 1, 100) == 1;
  const bool leads = has_heard ? name < receive_text(number) : mode == "hasty";
  is_leader = leads;
  load = leads ? 1.5 : 0.25;
  state.heard = has_heard ? -1 : 0;
  ricercar::log("elected", "leads,heard", leads, state.heard);
  usleep(1000);
  ricercar::forget("heard");
}
