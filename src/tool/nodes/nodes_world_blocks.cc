// What a strategy learns from the code that nodes run through.
#include <utility>

#include "base/random.h"
#include "nodes/nodes_world.h"

namespace ricercar::inline nodes {

// The same in every execution, whatever numbers tasks and links have.
std::uint64_t NodesWorld::action_of(TaskId task) const {
  const Actor& actor = actors_[index(task)];
  const auto behind = [](std::uint64_t before, std::uint64_t next) {
    return mix64(before * 31 + next + 1);
  };
  if (actor.is_injector()) return behind(0, 0);
  if (actor.link == no_link) {
    const Operation& next = pending_[index(task)];
    const std::uint64_t thread = behind(behind(1, actor.node), index(actor.own));
    return behind(behind(thread, next.site), static_cast<std::uint64_t>(next.kind));
  }
  const Link& link = cluster_.network().link(actor.link);
  const std::uint64_t way = behind(behind(2, link.from), link.to);
  const bool is_listed = link.address.port < Network::first_own_port;
  const std::uint64_t door = behind(way, is_listed ? link.address.port : 0);
  return behind(door, link.messages.empty() ? 0 : link.messages.front()->kind);
}

void NodesWorld::name_actions() {
  actions_.clear();
  enabled_.for_each([&](TaskId task) { actions_.push_back(action_of(task)); });
  learns_->actions(actions_);
}

// --- Blocks ---

void NodesWorld::take_blocks(std::uint32_t node) {
  if (!cluster_memory().notes_blocks) return;
  const std::span<const BlockCount> blocks = blocks_.of(cluster_, node, cluster_.blocks().blocks());
  if (records_) count_blocks(node, blocks);
  if (learns_ != nullptr) learn_blocks(node, blocks);
}

void NodesWorld::count_blocks(std::uint32_t node, std::span<const BlockCount> blocks) {
  for (const BlockCount& each : blocks) block_times_[node][each.block] += each.times;
}

// What has brought something to the node has let it run, too.
void NodesWorld::learn_blocks(std::uint32_t node, std::span<const BlockCount> blocks) {
  if (const std::uint64_t delivery = std::exchange(nodes_[node].delivery, 0); delivery != 0) {
    actions_.push_back(delivery);
  }
  learns_->covered(actions_, node, blocks);
}

// A place is "/path/program(+0x12)".
void NodesWorld::record_blocks(std::uint32_t node, KeptStory& story) const {
  for (const auto& [number, times] : block_times_[node]) {
    const std::string& place = blocks_.place(number);
    const std::size_t end = place.rfind("(+0x");
    if (end == std::string::npos) continue;
    const std::string module = place.substr(0, end);
    story.add({node, module.c_str(), std::stoull(place.substr(end + 4), nullptr, 16), times});
  }
}

}  // namespace ricercar::inline nodes
