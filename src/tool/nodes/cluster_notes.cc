#include "nodes/cluster_notes.h"

#include "base/error.h"
#include "base/text.h"

namespace ricercar::inline nodes {
namespace {

// Where the threads of a node are not switched, although it could matter.
std::string not_switched(const Request& request, bool is_all) {
  const std::string subject = "has nodes with several threads, ";
  if (request.points == Points::message) {
    return subject +
           "which are switched only where they wait or nodes meet: --points sync looks inside "
           "each node\n";
  }
  if (!is_all) return {};
  if (request.points == Points::sync) {
    return subject + "which are switched at synchronisation, not at atomics: --points atomic\n";
  }
  if (request.points == Points::atomic && !request.races) {
    return subject + "whose data races nobody has looked for: --points memory\n";
  }
  return {};
}

// What a search through everything has left out.
std::string left_out(const ClusterFacts& facts, const ClusterPlan& plan) {
  std::string all;
  if (facts.was_fair) {
    all +=
        "has executions that are not fair, because a task that could go on waits for too long in "
        "them: they were left out\n";
  }
  if (facts.was_unready) {
    all +=
        "has nodes that can no longer be reached before the clients begin: not every order of that "
        "was tried\n";
  }
  if (plan.early_timeouts) {
    all +=
        "has executions in which more time limits pass early than early_timeouts says: they were "
        "left out\n";
  }
  return all;
}

std::string never_judged(const ClusterFacts& facts) {
  std::string names;
  for (const std::string& name : lines_of(facts.unjudged))
    names += (names.empty() ? "'" : ", '") + name + "'";
  if (names.empty()) return {};
  return "never had all the values that a property asks for, so that it was not judged: " + names +
         "\n";
}

// One whose command is wrong would go unnoticed if it ended with status 0.
std::string loners(const ClusterFacts& facts, const ClusterPlan& plan) {
  std::string all;
  for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
    if ((facts.meets >> i & 1) != 0) continue;
    all += "the node " + ricercar::quoted(plan.nodes[i].name) +
           " ended in every execution without having sent anything or waited for anything: if "
           "that is not meant, try its command without Ricercar\n";
  }
  return all;
}

}  // namespace

void tell_of_cluster(Control& control, const ClusterPlan& plan) {
  const ClusterFacts& facts = control.cluster;
  std::string all = control.not_modelled;
  if (facts.has_threads) all += not_switched(control.request, control.covers_all);
  if (control.covers_all) all += left_out(facts, plan);
  all += never_judged(facts);
  copy_text(control.not_modelled, all);
  if (control.executions > 0) copy_text(control.note, control.note + loners(facts, plan));
}

}  // namespace ricercar::inline nodes
