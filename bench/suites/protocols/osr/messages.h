// What the driver of the board, its applications, the power manager and the device itself say to
// each other, and what the monitors are told.
#pragma once

#include <ricercar/machine.h>

#include <cstdint>

namespace osr {

using ricercar::MachineId;

enum class Kind : std::uint8_t { set_leds, read_switches };
enum class Status : std::uint8_t { success, cancelled, failed };

// --- Between applications and the driver ---

struct Request {
  MachineId application;
  int id = 0;
  Kind kind = Kind::set_leds;
  std::uint8_t leds = 0;
};
struct Cancel {
  int id;
};
struct Completion {
  int id;
  Status status;
  std::uint8_t data;
};
struct SwitchReport {
  std::uint8_t switches;
};

// --- Between the power manager and the driver ---

struct PowerUp {
  MachineId manager;
};
struct PowerDown {
  MachineId manager;
};
struct PoweredUp {};
struct PoweredDown {};
// The device is gone. The driver learns of it from the bus.
struct SurpriseRemoval {};

// --- Between the driver and the device ---

struct Transfer {
  int id;
  Kind kind;
  std::uint8_t leds;
};
struct TransferDone {
  int id;
  std::uint8_t data;
};
// Nothing was transferred; it may be tried again.
struct TransferFailed {
  int id;
};
// Answered by TransferAborted unless the transfer is over: then its TransferDone is on its way.
struct Abort {
  int id;
};
struct TransferAborted {
  int id;
};
struct StartInterrupts {};
struct StopInterrupts {};
struct InterruptsStopped {};
struct SwitchInterrupt {
  std::uint8_t switches;
};
struct Unplugged {};

// --- What the monitors are told ---

struct Submitted {
  int id;
};
struct Completed {
  int id;
};

}  // namespace osr
