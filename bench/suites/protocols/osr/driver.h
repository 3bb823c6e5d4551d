// The driver of a small USB board with LEDs and switches, after the learning kit that driver
// writers start with. One transfer is under way at a time, the other requests wait in a queue.
// Power goes down only when the transfer is over and the interrupt pipe is quiet, and comes back
// with the queue intact.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "../bugs.h"
#include "messages.h"

namespace osr {

using ricercar::suite::bug;

struct Driver : ricercar::Machine {
  MachineId device;
  MachineId application;       // is told when switches change
  MachineId manager;           // waits for PoweredDown
  std::vector<Request> queue;  // the first one is under way in Transferring, Cancelling, Draining
  std::uint8_t switches = 0;

  struct Off;
  struct Ready;
  struct Transferring;
  struct Cancelling;
  struct Draining;
  struct Quiescing;
  struct Suspended;
  struct Removed;

  static void define(ricercar::Definition<Driver>& machine) {
    machine.state<Off>()
        .on(&Driver::power_up)
        .on(&Driver::keep)
        .on(&Driver::cancel_waiting)
        .on(&Driver::removed);
    machine.state<Ready>()
        .entry(&Driver::start_next)
        .on(&Driver::submit)
        .on(&Driver::cancel_waiting)
        .on(&Driver::switched)
        .on(&Driver::quiesce_now)
        .on(&Driver::removed);
    machine.state<Transferring>()
        .on(&Driver::keep)
        .on(&Driver::cancel)
        .on(&Driver::transferred)
        .on(&Driver::try_again)
        .on(&Driver::switched)
        .on(&Driver::drain)
        .on(&Driver::removed);
    define_cancelling(machine);
    auto draining = machine.state<Draining>();
    draining.on(&Driver::keep)
        .on(&Driver::cancel_behind_first)
        .on(&Driver::drained)
        .on(&Driver::drained_by_failure)
        .on(&Driver::switched)
        .on(&Driver::removed);
    if (!bug(3)) draining.on(&Driver::drained_by_abort);
    auto quiescing = machine.state<Quiescing>();
    quiescing.on(&Driver::keep)
        .on(&Driver::cancel_waiting)
        .on<InterruptsStopped>(&Driver::suspend)
        .on(&Driver::removed);
    if (!bug(2)) quiescing.on(&Driver::switched);
    machine.state<Suspended>()
        .on(&Driver::keep)
        .on(&Driver::cancel_waiting)
        .on(&Driver::power_up)
        .on(&Driver::removed);
    machine.state<Removed>()
        .entry(&Driver::fail_all)
        .on(&Driver::fail)
        .on(&Driver::pretend_down)
        .on(&Driver::pretend_up)
        .ignore<Cancel, TransferDone, TransferFailed, TransferAborted, SwitchInterrupt,
                InterruptsStopped>();
  }

  // The request that is to be cancelled may be done before the device hears of it.
  static void define_cancelling(ricercar::Definition<Driver>& machine) {
    auto cancelling = machine.state<Cancelling>();
    cancelling.on(&Driver::keep)
        .on(&Driver::cancel_behind_first)
        .on(&Driver::aborted)
        .on(&Driver::failed_anyway)
        .on(&Driver::switched)
        .on(&Driver::removed);
    if (!bug(1)) cancelling.on(&Driver::transferred);
    cancelling.on(&Driver::drain);
  }

  // --- Requests ---

  void keep(const Request& request) { queue.push_back(request); }

  void submit(const Request& request) {
    queue.push_back(request);
    start_next();
  }

  void start_next() {
    if (queue.empty()) return;
    const Request& next = queue.front();
    send(device, Transfer{next.id, next.kind, next.leds});
    go_to<Transferring>();
  }

  void transferred(const TransferDone& done) {
    finish_first(done.id, Status::success, done.data);
    go_to<Ready>();
  }

  // There are descriptors for so many transfers, and they are used in turn.
  void try_again(const TransferFailed& failure) {
    constexpr int descriptors = 96;
    const Request& first = queue.front();
    const int id = bug(6) ? failure.id % descriptors : failure.id;
    send(device, Transfer{id, first.kind, first.leds});
  }

  void failed_anyway(const TransferFailed& failure) {
    finish_first(failure.id, Status::cancelled, 0);
    go_to<Ready>();
  }

  void aborted(const TransferAborted& abort) {
    finish_first(abort.id, Status::cancelled, 0);
    go_to<Ready>();
  }

  void finish_first(int id, Status status, std::uint8_t data) {
    require(!queue.empty() && queue.front().id == id, "the device answers another transfer");
    const Request request = queue.front();
    queue.erase(queue.begin());
    complete(request, status, data);
  }

  void complete(const Request& request, Status status, std::uint8_t data) {
    announce(Completed{request.id});
    send(request.application, Completion{request.id, status, data});
  }

  // --- Cancellation ---

  void cancel(const Cancel& cancel) {
    if (queue.front().id != cancel.id) return cancel_behind_first(cancel);
    send(device, Abort{cancel.id});
    go_to<Cancelling>();
  }

  void cancel_behind_first(const Cancel& cancel) { take_out(cancel.id, 1); }
  void cancel_waiting(const Cancel& cancel) { take_out(cancel.id, 0); }

  // A request that is not there has been completed before the cancellation came.
  void take_out(int id, std::ptrdiff_t from) {
    const auto found = std::find_if(queue.begin() + std::min(from, std::ssize(queue)), queue.end(),
                                    [id](const Request& request) { return request.id == id; });
    if (found == queue.end()) return;
    const Request request = *found;
    if (!bug(5)) queue.erase(found);
    complete(request, Status::cancelled, 0);
  }

  // --- Switches ---

  void switched(const SwitchInterrupt& interrupt) {
    switches = interrupt.switches;
    send(application, SwitchReport{switches});
  }

  // --- Power ---

  void power_up(const PowerUp& order) {
    send(device, StartInterrupts{});
    send(order.manager, PoweredUp{});
    go_to<Ready>();
  }

  void quiesce_now(const PowerDown& order) {
    manager = order.manager;
    quiesce();
  }

  void drain(const PowerDown& order) {
    manager = order.manager;
    go_to<Draining>();
  }

  void drained(const TransferDone& done) {
    finish_first(done.id, Status::success, done.data);
    quiesce();
  }

  void drained_by_failure(const TransferFailed& failure) {
    finish_first(failure.id, Status::failed, 0);
    quiesce();
  }

  void drained_by_abort(const TransferAborted& abort) {
    finish_first(abort.id, Status::cancelled, 0);
    quiesce();
  }

  void quiesce() {
    send(device, StopInterrupts{});
    go_to<Quiescing>();
  }

  void suspend() {
    send(std::exchange(manager, MachineId{}), PoweredDown{});
    go_to<Suspended>();
  }

  // --- Removal ---

  void removed(const SurpriseRemoval&) { go_to<Removed>(); }

  void fail_all() {
    if (manager && !bug(4)) send(manager, PoweredDown{});
    for (const Request& request : std::exchange(queue, {})) complete(request, Status::failed, 0);
  }

  void fail(const Request& request) { complete(request, Status::failed, 0); }
  void pretend_down(const PowerDown& order) { send(order.manager, PoweredDown{}); }
  void pretend_up(const PowerUp& order) { send(order.manager, PoweredUp{}); }
};

}  // namespace osr
