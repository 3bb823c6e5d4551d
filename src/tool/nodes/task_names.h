// Numbers for the tasks of a cluster that are the same in every execution of a search, whatever the
// order of what commutes. Owned by the world; one for a search.
//
// They are in the order in which tasks are seen first; or fixed, the same in every search of the
// cluster, so that several processes agree about them. Those of tasks with high numbers of their
// own are never fixed, because there is not room for all.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>

#include "cluster/network.h"
#include "model/ids.h"

namespace ricercar::inline nodes {

class TaskNames {
 public:
  // From now on they are fixed, of so many nodes. Called before there are any.
  void fix(std::uint32_t nodes) { nodes_ = nodes; }
  // Some are not, although they should be.
  bool is_order_seen() const { return nodes_ != 0 && !numbers_.empty(); }

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

  // Fixed ones are below.
  static constexpr std::uint32_t first_seen = max_tasks - max_tasks / 4;

  TaskId number(const Key& key);
  TaskId number_by_order(const Key& key);

  std::uint32_t nodes_ = 0;  // 0: they are not fixed
  std::map<Key, TaskId> numbers_;
};

}  // namespace ricercar::inline nodes
