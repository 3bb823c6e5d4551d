// What a search of nodes has learned besides its strategy, for one that goes on in another process.
#include <algorithm>

#include "base/kept.h"
#include "base/text.h"
#include "nodes/nodes_world.h"

namespace ricercar::inline nodes {

template <typename Archive>
void NodesWorld::pass_state(Archive& archive) {
  ClusterFacts& facts = control_.cluster;
  archive(names_, facts.was_fair, facts.has_threads, facts.meets, facts.was_unready);
}

void NodesWorld::save(KeptOut& out) const {
  const_cast<NodesWorld*>(this)->pass_state(out);
  out(blocks_.places(), properties_.times_judged(), not_modelled());
}

void NodesWorld::load(KeptIn& in) {
  pass_state(in);
  std::vector<std::string> places;
  std::vector<std::uint64_t> times_judged;
  in(places, times_judged, not_modelled_before_);
  blocks_.give(places);
  properties_.add_times_judged(times_judged);
}

// What the nodes did on another day, and what they have done now.
std::string NodesWorld::not_modelled() const {
  std::string all = cluster_.not_modelled();
  const std::vector<std::string> now = lines_of(all);
  for (const std::string& line : lines_of(not_modelled_before_)) {
    if (std::find(now.begin(), now.end(), line) == now.end()) all += line + "\n";
  }
  return all;
}

}  // namespace ricercar::inline nodes
