// Numbers for the tasks of a cluster that are the same in every execution of a search, whatever the
// order of what commutes. Owned by the world; one for a search.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>

#include "cluster/network.h"
#include "model/ids.h"

namespace ricercar::inline nodes {

class TaskNames {
 public:
  // Throw UsageError if there are too many.
  TaskId thread(std::uint32_t node, TaskId own) { return number({kind_thread, node, index(own)}); }
  TaskId link(LinkName name) { return number({kind_link, name.node, name.number}); }
  TaskId injector() { return number({kind_injector, 0, 0}); }

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(numbers_);
  }

 private:
  enum Kind : std::uint8_t { kind_thread, kind_link, kind_injector };
  using Key = std::tuple<Kind, std::uint32_t, std::uint32_t>;

  TaskId number(const Key& key);

  std::map<Key, TaskId> numbers_;
};

}  // namespace ricercar::inline nodes
