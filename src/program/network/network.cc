#include <ricercar/network.h>

#include <utility>

#include "network/node.h"

namespace ricercar {

Network::Network(Deployment& deployment, NetworkOptions options)
    : node_(std::make_unique<network::Node>(deployment, std::move(options))) {}
Network::~Network() { stop(); }

void Network::accept_type(const detail::Codec& codec) { node_->accept_type(codec); }
bool Network::is_here(std::string_view node) const { return node_->is_here(node); }
MachineId Network::name_machine_on(std::string_view node) { return node_->name_machine_on(node); }
MachineId Network::own_machine(detail::ObjectRef machine) {
  return node_->deployment().create_machine(std::move(machine));
}
std::uint16_t Network::port() const { return node_->port(); }
void Network::set_address(std::string_view node, const std::string& host, std::uint16_t port) {
  node_->set_address(node, host, port);
}
void Network::start() { node_->start(); }
bool Network::wait_until_delivered(std::chrono::nanoseconds timeout) {
  return node_->wait_until_delivered(timeout);
}
std::uint64_t Network::lost() const { return node_->lost(); }
void Network::stop() {
  node_->deployment().stop();
  node_->stop();
}

}  // namespace ricercar
