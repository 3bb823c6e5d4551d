// The properties of a cluster: loaded from the library that they were compiled to, and asked while
// an execution runs. Not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "model/machine_story.h"
#include "nodes/cluster.h"
#include "nodes/global_values.h"
#include "nodes/named_values.h"
#include "nodes/operations.h"
#include "ricercar/detail/properties_abi.h"

namespace ricercar::inline nodes {

// What a property sees of the cluster.
class ClusterView {
 public:
  // `is_running`: whether the node has begun in this execution and has not crashed.
  ClusterView(Cluster& cluster, const NamedValues& values, const Operations& operations,
              std::function<bool(std::uint32_t)> is_running)
      : cluster_(cluster),
        values_(values),
        operations_(operations),
        globals_(cluster),
        is_running_(std::move(is_running)) {}

  ricercar_state state();
  // Operations that have come back.
  std::uint64_t answered() const { return operations_.answered(); }
  // From now on what is asked for is written down, in words.
  void watch() { is_watched_ = true; }
  std::string take_watched();
  // Somebody has asked for what nobody reports: a global variable, or how many messages there were.
  bool has_seen_inside() const { return has_seen_inside_; }

 private:
  static ClusterView& of(void* host) { return *static_cast<ClusterView*>(host); }
  std::uint32_t number_of(const char* node) const;
  const ricercar_value* value(const char* node, const char* name, bool is_before);
  const ricercar_value* global(const char* node, const char* name);
  template <typename Count>
  std::uint64_t count(const char* from, const char* to, const char* what, Count count);
  void note(const std::string& words);

  Cluster& cluster_;
  const NamedValues& values_;
  const Operations& operations_;
  GlobalValues globals_;
  std::function<bool(std::uint32_t)> is_running_;
  std::string error_;  // of the last question
  bool is_watched_ = false;
  bool has_seen_inside_ = false;
  std::vector<std::string> watched_;
};

// A property has thrown: the message says which, and what.
struct PropertyThrew : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Properties {
 public:
  struct Violation {
    std::uint32_t property;  // its number
    std::string words;       // "'one leader' does not hold: a.leads = true"
  };

  // Without a library there are none. Throws UsageError if it is not one of properties.
  explicit Properties(const std::string& library);

  bool empty() const { return all_.empty(); }
  void begin_execution();
  // The first one that is violated by the state as it is now. Throws PropertyThrew.
  std::optional<Violation> check(ClusterView& view);
  // The execution has ended by itself: what should have come has not.
  std::optional<Violation> at_end(ClusterView& view);
  // For a report: all of them, and the numbers of those that were judged since the last call.
  std::vector<RecordedProperty> recorded() const;
  std::vector<std::uint32_t> take_judged();
  // Those that were not judged in any execution; or since they were forgotten.
  std::vector<std::string> never_judged() const;
  void forget_judged();
  // Of a search that goes on: how often each was judged before.
  std::vector<std::uint64_t> times_judged() const;
  void add_times_judged(const std::vector<std::uint64_t>& times);

 private:
  struct Known {
    ricercar_property property;
    std::uint64_t judged = 0;    // in all executions
    std::uint64_t taken = 0;     // of these take_judged has told
    bool is_settled = false;     // in this execution: what should come has come
    bool is_open = false;        // likewise: something has happened that must lead to something
    std::uint64_t answered = 0;  // likewise: so many operations of the history it has seen
  };

  void load(void* library);
  std::optional<Violation> check(Known& known, ClusterView& view);
  bool has_more_to_see(Known& known, ClusterView& view);
  bool is_true(Known& known, std::uint32_t which, ClusterView& view, bool if_not_there);
  Violation violation(const Known& known, std::uint32_t which, ClusterView& view,
                      const std::string& how) const;

  std::vector<Known> all_;
};

}  // namespace ricercar::inline nodes
