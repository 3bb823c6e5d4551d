#include <ricercar/deploy.h>

#include <utility>

#include "machines/deploy/host.h"

namespace ricercar {

Deployment::Deployment(DeploymentOptions options)
    : host_(std::make_unique<deploy::Host>(std::move(options))) {}
Deployment::~Deployment() = default;

void Deployment::start() { host_->start(); }
bool Deployment::wait_until_quiet(std::chrono::nanoseconds timeout) {
  return host_->wait_until_quiet(timeout);
}
void Deployment::stop() { host_->stop(); }
std::vector<Failure> Deployment::finish(std::chrono::nanoseconds timeout) {
  return host_->finish(timeout);
}
std::vector<Failure> Deployment::failures() const { return host_->failures(); }
std::uint64_t Deployment::handled() const { return host_->handled(); }

void Deployment::join(std::uint32_t node, deploy::Gateway& gateway) { host_->join(node, gateway); }
void Deployment::deliver(MachineId to, detail::Event event, std::uint64_t time) {
  host_->deliver(to, std::move(event), time);
}

MachineId Deployment::create_object(detail::ObjectRef machine) {
  return host_->create(std::move(machine));
}
void Deployment::send_event(MachineId to, detail::Event event) {
  host_->send(MachineId(), to, std::move(event));
}
void Deployment::add_monitor(detail::ObjectRef monitor) { host_->add_monitor(std::move(monitor)); }
// Only a search can make something of it.
void Deployment::make_symmetric(const std::vector<MachineId>&) {}
void Deployment::record_type(const detail::Codec& codec) { host_->record(codec); }

}  // namespace ricercar
