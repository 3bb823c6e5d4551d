// The states that a search has visited, and the steps between them, to look for what no single
// execution shows if each ends at a state that is known: a cycle with a monitor hot all the way. It
// counts if it is fair: who could always go on in it does so (weak fairness). There is one in a
// strongly connected component of hot states if and only if the whole component is fair.
//
// The graph only proposes: the decisions that lead to the cycle and once around it are run as an
// execution, and the world says what it sees. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "base/plain.h"
#include "model/state.h"

namespace ricercar::inline strategy {

// What was decided between two states: who ran, and the options that it took at value points.
struct DecidedStep {
  std::uint16_t task = 0;
  std::vector<std::uint32_t> values = {};

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(task, plain(values));
  }

  bool operator==(const DecidedStep&) const = default;
};

class StateGraph {
 public:
  using Node = std::uint32_t;

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(nodes_, plain(vertices_), edges_, enabled_index_, enabled_sets_, proposed_);
  }

  // The state's node; the first one is that of the program's start.
  Node add(const State& state);
  // `state` is that of `to`, as it was shown at the end of the step.
  void add_step(Node from, Node to, const DecidedStep& decided, const State& state);

  std::uint64_t steps() const { return edges_.size(); }

  // From the start to a fair cycle through hot states and once around it; each component is
  // proposed once. Empty: there is no other one.
  std::vector<DecidedStep> next_cycle();

 private:
  using Words = std::vector<std::uint64_t>;  // tasks as bits

  struct Vertex {
    std::uint64_t hot = 0;      // monitors, as bits
    std::uint32_t enabled = 0;  // an index into enabled_sets_
  };
  struct Edge {
    Node from, to;
    std::uint64_t hot;  // the monitors that were hot all the way
    DecidedStep decided;

    template <typename Archive>
    void serialize(Archive& archive) {
      archive(from, to, hot, decided);
    }
  };
  using Path = std::vector<std::uint32_t>;  // edges, by their index

  // The edges out of each node, of those that `takes` wants.
  struct Successors {
    std::vector<std::uint32_t> first;  // by node, an index into `edges`
    std::vector<std::uint32_t> edges;
  };
  template <typename Takes>
  Successors successors(Takes takes) const;

  // By node; components of one node without an edge to itself included.
  std::vector<std::uint32_t> components(const Successors& graph) const;
  template <typename Wanted>
  std::optional<Path> shortest(const Successors& graph, Node from, Wanted wanted) const;

  bool is_enabled(Node node, std::uint32_t task) const;
  bool is_fair(const std::vector<Node>& nodes, const Path& inside) const;
  std::optional<Path> around(Node start, const Path& inside) const;
  std::optional<Path> cycle_of(std::uint64_t monitor);

  std::unordered_map<std::uint64_t, std::vector<std::pair<std::uint64_t, Node>>> nodes_;
  std::vector<Vertex> vertices_;
  std::vector<Edge> edges_;
  std::map<Words, std::uint32_t> enabled_index_;
  std::vector<Words> enabled_sets_;
  std::set<std::pair<std::uint64_t, Node>> proposed_;  // a monitor, a component's least node
};

}  // namespace ricercar::inline strategy
