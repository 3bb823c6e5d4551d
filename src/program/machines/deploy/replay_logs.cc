#include <ricercar/replay_logs.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "machines/deploy/event_log.h"
#include "machines/deploy/monitor_set.h"

namespace ricercar::detail {
namespace {

using deploy::LoggedEvent;

std::vector<LoggedEvent> merged(const std::vector<std::string>& files,
                                std::vector<std::string>& notes) {
  std::vector<LoggedEvent> all;
  for (const std::string& file : files) {
    deploy::LogContent content = deploy::read_log(file);
    if (content.whole_bytes != content.bytes) {
      notes.push_back(file + " ends in the middle of an event, which is left out");
    }
    std::move(content.events.begin(), content.events.end(), std::back_inserter(all));
  }
  // Times within a file grow, so their order is kept.
  std::stable_sort(all.begin(), all.end(),
                   [](const LoggedEvent& a, const LoggedEvent& b) { return a.time < b.time; });
  return all;
}

Event decode(const LoggedEvent& logged, const std::vector<const Codec*>& codecs) {
  for (const Codec* codec : codecs) {
    if (codec->type->full_name != logged.name) continue;
    Decoder in(logged.payload);
    Event event = codec->shape() == logged.shape ? codec->decode(in) : Event();
    if (event) return event;
    throw std::runtime_error("the log of node " + logged.node + " has an event " + logged.name +
                             " with other fields than the one of this program");
  }
  throw std::runtime_error("the log of node " + logged.node + " has events of the type " +
                           logged.name + ": name it, replay_logs<..., " + logged.name + ">(...)");
}

}  // namespace

ReplayedLogs replay_logs(const std::vector<std::string>& files,
                         const std::vector<const Codec*>& codecs, std::vector<ObjectRef> monitors) {
  deploy::MonitorSet set;
  for (ObjectRef& monitor : monitors) set.add(std::move(monitor));
  ReplayedLogs result;
  const auto add = [&result](std::vector<Failure> found) {
    std::move(found.begin(), found.end(), std::back_inserter(result.failures));
  };
  add(set.start());
  for (const LoggedEvent& logged : merged(files, result.notes)) {
    add(set.tell(decode(logged, codecs), logged.is_announced));
    ++result.events;
  }
  result.owed = set.owed();
  return result;
}

}  // namespace ricercar::detail
