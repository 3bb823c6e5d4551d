#include "model/machine_story.h"

namespace ricercar::inline model {

const char* name_of(ActKind kind) {
  constexpr const char* names[] = {
#define RICERCAR_ROW(name) #name,
      RICERCAR_ACT_KINDS(RICERCAR_ROW)
#undef RICERCAR_ROW
  };
  return names[static_cast<std::uint8_t>(kind)];
}

std::string words_of(const RecordedAct& act, const std::string& target) {
  const std::string event = act.event;
  switch (act.kind) {
    case ActKind::start:
      return *act.state == '\0' ? "starts" : std::string("starts in ") + act.state;
    case ActKind::handle:
      return "handles " + event + " in " + act.state;
    case ActKind::receive:
      return "receives " + event;
    case ActKind::send:
      return "sends " + event + " to " + target;
    case ActKind::create:
      return "creates " + target;
    case ActKind::announce:
      return "announces " + event;
    case ActKind::start_timer:
      return "starts the timer for " + event;
    case ActKind::stop_timer:
      return "stops a timer";
    case ActKind::fire:
      return "fires: " + event + " to " + target;
    case ActKind::crash:
      return "crashes " + target;
    case ActKind::restart:
      return "restarts " + target;
    case ActKind::choose:
      return "chooses " + std::to_string(act.chosen) + " of " + std::to_string(act.options);
    case ActKind::halt:
      return "halts";
    case ActKind::log:
      return (event.empty() ? "logs " : "logs " + event + ": ") + act.state;
    default:
      return event;
  }
  return {};
}

std::string words_of(const RecordedMachine& machine) {
  if (machine.phase == MachinePhase::timer) return {};
  std::string text = std::string("  ") + machine.name;
  if (machine.phase == MachinePhase::halted) return text + " has halted\n";
  if (machine.phase == MachinePhase::crashed) text += " (crashed)";
  if (*machine.state != '\0') text += std::string(" in ") + machine.state;
  text += std::string(" ") + machine.variables;
  if (*machine.waiting != '\0') text += std::string(", waiting events:") + machine.waiting;
  return text + "\n";
}

}  // namespace ricercar::inline model
