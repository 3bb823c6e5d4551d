// What several processes did, shown to monitors afterwards: the same monitors that the checker
// uses.
//
//   auto replayed = ricercar::replay_logs<Voted, Decided, Applied>({"a.log", "b.log"},
//   Atomicity{}); if (!replayed) std::cerr << replayed.failures.front().message;
//
// Every node writes a log of its own (DeploymentOptions::log_file, Deployment::record). The times
// in the logs respect causes: what could have caused an event comes before it. Events of different
// nodes of which neither could have caused the other are put in the order of the nodes' wall
// clocks, which need not be the true one; a monitor for logs must not depend on it.
#pragma once

#include <ricercar/deploy.h>

#include <string>
#include <utility>
#include <vector>

namespace ricercar {

struct ReplayedLogs {
  std::vector<Failure> failures;  // properties that do not hold
  std::vector<Failure> owed;  // monitors that end in a hot state: the logs may just end too early
  std::vector<std::string> notes;  // about the files
  std::uint64_t events = 0;        // that were shown to the monitors

  explicit operator bool() const { return failures.empty(); }
};

namespace detail {

[[gnu::visibility("default")]] ReplayedLogs replay_logs(const std::vector<std::string>& files,
                                                        const std::vector<const Codec*>& codecs,
                                                        std::vector<ObjectRef> monitors);

}  // namespace detail

// E: the types of the events in the logs. Throws std::runtime_error for a file that is missing,
// damaged, or has events of another type.
template <typename... E, typename... M>
ReplayedLogs replay_logs(const std::vector<std::string>& files, M&&... monitors) {
  static_assert(sizeof...(E) > 0,
                "Ricercar: name the events in the logs: replay_logs<Voted, Decided>(...)");
  static_assert(sizeof...(M) > 0, "Ricercar: replay_logs needs a monitor");
  std::vector<detail::ObjectRef> objects;
  (objects.push_back(detail::make_object(std::forward<M>(monitors))), ...);
  return detail::replay_logs(files, {&detail::codec<E>()...}, std::move(objects));
}

}  // namespace ricercar
