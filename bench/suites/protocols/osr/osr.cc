// The driver of the board under the checker: `ricercar run -- osr bug=1 requests=2
// cancellations=1`.
#include "device.h"
#include "driver.h"
#include "properties.h"

namespace {

using namespace osr;

void set_up(ricercar::System& system, const ricercar::suite::Arguments& sizes) {
  system.monitor<CompletedOnce>();
  system.monitor<PowerOrdersAnswered>();
  const MachineId application = system.create(Application{.requests = sizes["requests"],
                                                          .bursts = sizes["bursts"],
                                                          .cancellations = sizes["cancellations"]});
  const MachineId device =
      system.create(Device{.toggles = sizes["toggles"], .errors = sizes["errors"]});
  const MachineId driver = system.create(Driver{.device = device, .application = application});
  system.create(PowerManager{.driver = driver, .suspensions = sizes["suspensions"]});
  if (sizes["removals"] > 0) system.create(Hub{.driver = driver, .device = device});
  system.send(device, Device::Attach{driver});
  system.send(application, Application::Open{driver});
}

}  // namespace

int main(int count, char** arguments) {
  const ricercar::suite::Arguments sizes(count, arguments,
                                         {{"requests", 2},
                                          {"bursts", 1},
                                          {"cancellations", 1},
                                          {"toggles", 1},
                                          {"suspensions", 1},
                                          {"removals", 1},
                                          {"errors", 0}});
  return ricercar::run_machines(1, arguments,
                                [&sizes](ricercar::System& system) { set_up(system, sizes); });
}
