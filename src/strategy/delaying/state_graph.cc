#include "strategy/delaying/state_graph.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace ricercar::inline strategy {
namespace {

constexpr std::uint32_t none = ~std::uint32_t{0};

}  // namespace

// --- What was seen ---

StateGraph::Node StateGraph::add(const State& state) {
  auto& alike = nodes_[state.fingerprint.low];
  for (const auto& [high, node] : alike) {
    if (high == state.fingerprint.high) return node;
  }
  const auto node = static_cast<Node>(vertices_.size());
  alike.emplace_back(state.fingerprint.high, node);
  const std::span<const std::uint64_t> words = state.enabled.words();
  const auto [enabled, is_new] =
      enabled_index_.try_emplace(Words(words.begin(), words.end()), enabled_sets_.size());
  if (is_new) enabled_sets_.push_back(enabled->first);
  vertices_.push_back({state.hot, enabled->second});
  return node;
}

void StateGraph::add_step(Node from, Node to, const DecidedStep& decided, const State& state) {
  edges_.push_back({from, to, state.hot & state.stayed_hot, decided});
}

bool StateGraph::is_enabled(Node node, std::uint32_t task) const {
  const Words& words = enabled_sets_[vertices_[node].enabled];
  return task / 64 < words.size() && (words[task / 64] >> (task % 64) & 1) != 0;
}

// --- Graphs of some of the edges ---

template <typename Takes>
StateGraph::Successors StateGraph::successors(Takes takes) const {
  Successors graph;
  graph.first.assign(vertices_.size() + 1, 0);
  for (const Edge& edge : edges_) {
    if (takes(edge)) ++graph.first[edge.from + 1];
  }
  std::partial_sum(graph.first.begin(), graph.first.end(), graph.first.begin());
  graph.edges.resize(graph.first.back());
  std::vector<std::uint32_t> next(graph.first.begin(), graph.first.end() - 1);
  for (std::uint32_t i = 0; i < edges_.size(); ++i) {
    if (takes(edges_[i])) graph.edges[next[edges_[i].from]++] = i;
  }
  return graph;
}

// Tarjan's algorithm, with a stack of its own in place of recursion.
std::vector<std::uint32_t> StateGraph::components(const Successors& graph) const {
  struct Frame {
    Node node;
    std::uint32_t next;  // into graph.edges
  };
  std::vector<std::uint32_t> component(vertices_.size(), none);
  std::vector<std::uint32_t> number(vertices_.size(), none), low(vertices_.size(), 0);
  std::vector<Node> open;
  std::vector<Frame> frames;
  std::uint32_t count = 0;
  std::uint32_t components = 0;
  const auto enter = [&](Node node) {
    number[node] = low[node] = count++;
    open.push_back(node);
    frames.push_back({node, graph.first[node]});
  };
  const auto leave = [&](Node node) {
    frames.pop_back();
    if (!frames.empty()) low[frames.back().node] = std::min(low[frames.back().node], low[node]);
    if (low[node] != number[node]) return;
    for (Node member = none; member != node;) {
      member = open.back();
      open.pop_back();
      component[member] = components;
    }
    ++components;
  };
  for (Node root = 0; root < vertices_.size(); ++root) {
    if (number[root] == none) enter(root);
    while (!frames.empty()) {
      Frame& frame = frames.back();
      if (frame.next == graph.first[frame.node + 1]) {
        leave(frame.node);
        continue;
      }
      const Node node = frame.node;
      const Node to = edges_[graph.edges[frame.next++]].to;
      if (number[to] == none) {
        enter(to);
      } else if (component[to] == none) {
        low[node] = std::min(low[node], number[to]);
      }
    }
  }
  return component;
}

// Breadth first from a node to one that is wanted; of no length if the node itself is.
template <typename Wanted>
std::optional<StateGraph::Path> StateGraph::shortest(const Successors& graph, Node from,
                                                     Wanted wanted) const {
  std::unordered_map<Node, std::uint32_t> came_by = {{from, none}};
  std::vector<Node> queue = {from};
  for (std::size_t i = 0; i < queue.size(); ++i) {
    Node node = queue[i];
    if (wanted(node)) {
      Path path;
      for (std::uint32_t edge = came_by[node]; edge != none; edge = came_by[node]) {
        path.push_back(edge);
        node = edges_[edge].from;
      }
      std::reverse(path.begin(), path.end());
      return path;
    }
    for (std::uint32_t j = graph.first[node]; j < graph.first[node + 1]; ++j) {
      const Node to = edges_[graph.edges[j]].to;
      if (came_by.try_emplace(to, graph.edges[j]).second) queue.push_back(to);
    }
  }
  return std::nullopt;
}

// --- Fair cycles ---

// Whether each task either cannot go on in one of the states or runs in one of the steps.
bool StateGraph::is_fair(const std::vector<Node>& nodes, const Path& inside) const {
  Words always = enabled_sets_[vertices_[nodes.front()].enabled];
  for (const Node node : nodes) {
    const Words& enabled = enabled_sets_[vertices_[node].enabled];
    for (std::size_t i = 0; i < always.size(); ++i)
      always[i] &= i < enabled.size() ? enabled[i] : 0;
  }
  for (const std::uint32_t edge : inside) {
    const std::uint32_t task = edges_[edge].decided.task;
    if (task / 64 < always.size()) always[task / 64] &= ~(std::uint64_t{1} << task % 64);
  }
  return std::all_of(always.begin(), always.end(), [](std::uint64_t word) { return word == 0; });
}

// A walk inside of a fair component from a node back to it, which gives everybody their turn.
std::optional<StateGraph::Path> StateGraph::around(Node start, const Path& inside) const {
  const std::set<std::uint32_t> own(inside.begin(), inside.end());
  const Successors graph = successors([&](const Edge& edge) {
    return own.contains(static_cast<std::uint32_t>(&edge - edges_.data()));
  });
  Path walk;
  Node here = start;
  const auto go = [&](auto wanted) {
    const std::optional<Path> path = shortest(graph, here, wanted);
    if (!path) return false;
    walk.insert(walk.end(), path->begin(), path->end());
    if (!path->empty()) here = edges_[path->back()].to;
    return true;
  };
  const auto take = [&](std::uint32_t edge) {
    const Node from = edges_[edge].from;
    if (!go([from](Node node) { return node == from; })) return false;
    walk.push_back(edge);
    here = edges_[edge].to;
    return true;
  };
  const auto tasks =
      static_cast<std::uint32_t>(64 * enabled_sets_[vertices_[start].enabled].size());
  for (std::uint32_t task = 0; task < tasks; ++task) {
    if (!is_enabled(start, task)) continue;
    const auto runs = std::find_if(inside.begin(), inside.end(), [&](std::uint32_t edge) {
      return edges_[edge].decided.task == task;
    });
    const bool done =
        runs != inside.end() ? take(*runs) : go([&](Node node) { return !is_enabled(node, task); });
    if (!done) return std::nullopt;
  }
  if (walk.empty() && !take(inside.front())) return std::nullopt;
  if (!go([start](Node node) { return node == start; })) return std::nullopt;
  return walk;
}

std::optional<StateGraph::Path> StateGraph::cycle_of(std::uint64_t monitor) {
  const Successors hot = successors([&](const Edge& edge) {
    return (edge.hot & monitor) != 0 && (vertices_[edge.from].hot & monitor) != 0;
  });
  const std::vector<std::uint32_t> component = components(hot);
  std::map<std::uint32_t, Path> inside;  // the edges of each component that has some
  for (const std::uint32_t edge : hot.edges) {
    const std::uint32_t number = component[edges_[edge].from];
    if (number == component[edges_[edge].to]) inside[number].push_back(edge);
  }
  std::map<std::uint32_t, std::vector<Node>> nodes;
  for (Node node = 0; node < component.size(); ++node) {
    if (inside.contains(component[node])) nodes[component[node]].push_back(node);
  }
  const Successors all = successors([](const Edge&) { return true; });
  for (const auto& component_nodes : nodes) {
    const std::uint32_t number = component_nodes.first;
    const std::vector<Node>& members = component_nodes.second;
    if (!is_fair(members, inside[number])) continue;
    if (!proposed_.emplace(monitor, members.front()).second) continue;
    const auto here = [&](Node node) { return component[node] == number; };
    std::optional<Path> path = shortest(all, 0, here);
    if (!path) continue;
    const Node start = path->empty() ? 0 : edges_[path->back()].to;
    const std::optional<Path> round = around(start, inside[number]);
    if (!round) continue;
    path->insert(path->end(), round->begin(), round->end());
    return path;
  }
  return std::nullopt;
}

std::vector<DecidedStep> StateGraph::next_cycle() {
  std::uint64_t monitors = 0;
  for (const Vertex& vertex : vertices_) monitors |= vertex.hot;
  for (; monitors != 0; monitors &= monitors - 1) {
    const std::optional<Path> path = cycle_of(monitors & ~(monitors - 1));
    if (!path) continue;
    std::vector<DecidedStep> steps;
    for (const std::uint32_t edge : *path) steps.push_back(edges_[edge].decided);
    return steps;
  }
  return {};
}

}  // namespace ricercar::inline strategy
