// What a report says of an execution of a cluster.
#include <algorithm>
#include <utility>

#include "nodes/nodes_world.h"

namespace ricercar::inline nodes {
namespace {

std::string show(SocketAddress address, Cluster& cluster) {
  const std::uint32_t node = node_at(address.host);
  const std::string host = is_loopback(address.host) ? "localhost"
                           : node < cluster.size()   ? cluster.plan(node).name
                                                     : "?";
  return host + ":" + std::to_string(address.port);
}

// The beginning of what is sent, as far as it can be read.
std::string excerpt(const Message& message) {
  constexpr std::uint32_t longest = 32;
  std::string text;
  for (std::uint32_t i = 0; i < std::min(message.size, longest); ++i) {
    const unsigned char c = message.bytes[i];
    if (c == '\n') {
      text += "\\n";
    } else if (c == '\r') {
      text += "\\r";
    } else {
      text += c >= 0x20 && c < 0x7f ? static_cast<char>(c) : '.';
    }
  }
  return "\"" + text + (message.size > longest ? "...\"" : "\"");
}

std::string words_of(const Message& message) {
  switch (message.kind) {
    case Message::connect:
      return "a connection";
    case Message::data:
    case Message::datagram:
      return std::to_string(message.size) + (message.size == 1 ? " byte " : " bytes ") +
             excerpt(message);
    case Message::end:
      return "the end of the stream";
    case Message::reset:
      return "a reset of the connection";
  }
  return {};
}

}  // namespace

void NodesWorld::note(ActKind kind, std::uint32_t node, const std::string& words,
                      std::uint32_t target, std::uint64_t sent_by) {
  if (!records_) return;
  RecordedAct act;
  act.kind = kind;
  act.machine = node;
  act.target = target;
  act.event = words.c_str();
  act.sent_by = sent_by;
  add(act);
}

void NodesWorld::add(RecordedAct act) {
  Node& node = nodes_[act.machine];
  const std::uint64_t let_go_by = std::exchange(node.let_go_by, 0);
  if (act.sent_by == 0) act.sent_by = let_go_by;
  act.steps = trace_.size();
  story_.add(act);
  node.last_act = story_.acts().size();
}

// --- Which act has sent a message ---

// The last one that was told of the node before it had made so many steps.
std::uint64_t NodesWorld::act_before(const Node& node, std::uint64_t step) const {
  for (auto told = node.told.rbegin(); told != node.told.rend(); ++told) {
    if (told->first < step) return told->second;
  }
  return node.last_act;
}

// `act_of_others`: of what the node has not sent itself, such as the reset of a connection.
void NodesWorld::mark_messages(std::uint32_t node, std::uint64_t act_of_others) {
  cluster_.network().for_each_on_its_way(node, [&](Message& message) {
    if (message.sent_event != 0) return;
    message.sent_event =
        message.sent_step == no_step ? act_of_others : act_before(nodes_[node], message.sent_step);
  });
}

void NodesWorld::tell_of_step(std::uint32_t node, const Step& step) {
  const bool is_told =
      step.kind == OperationKind::blocking_call || step.kind == OperationKind::sleep;
  if (step.site == 0 || !is_told) return;
  const std::string place = cluster_.place_of(node, step.site - 1);
  const std::string thread =
      index(step.task) == 0 ? "" : "thread " + std::to_string(index(step.task)) + " ";
  const std::vector<std::string>& calls = nodes_[node].calls;
  const std::string call = index(step.task) < calls.size() ? calls[index(step.task)] : "";
  const std::string what = step.kind == OperationKind::sleep ? "wakes from its sleep"
                           : call.empty()                    ? "goes on"
                                                             : "calls " + call + "()";
  const bool has_expired = step.kind != OperationKind::sleep && (step.flags & step_timeout) != 0;
  const char* why = has_expired ? ", which comes to its time limit," : "";
  nodes_[node].told.emplace_back(nodes_[node].seen, story_.acts().size() + 1);
  note(ActKind::call, node, thread + what + why + (place.empty() ? "" : " at " + place));
}

void NodesWorld::tell_of_report(const Reported& report, const std::string& values) {
  RecordedAct act;
  act.kind = ActKind::log;
  act.machine = report.node;
  act.event = report.id;
  act.state = values.c_str();
  add(act);
}

// When it has arrived.
void NodesWorld::tell_of_message(const Link& link, const Message& message) {
  const bool is_refused = message.kind == Message::connect &&
                          cluster_.network()[link.source].state == EndpointState::failed;
  const bool is_lost =
      message.kind == Message::datagram && !cluster_.network().is_bound(link.to, message.to, true);
  const std::string verb = is_refused ? "refuses " : is_lost ? "has no socket for " : "gets ";
  note(ActKind::arrive, link.to,
       verb + words_of(message) + " from " + show(message.from, cluster_) + " at " +
           show(message.to, cluster_) + (is_lost ? ", which is lost" : ""),
       link.from, message.sent_event);
  const std::uint64_t act = story_.acts().size();
  if (message.kind == Message::connect) nodes_[link.from].let_go_by = act;
  mark_messages(link.to, act);
}

void NodesWorld::tell_of_fault(const Fault& fault) {
  switch (fault.kind) {
    case FaultKind::crash:
      return note(ActKind::fault, fault.target, "CRASHES");
    case FaultKind::restart:
      return note(ActKind::fault, fault.target, "STARTS AGAIN");
    case FaultKind::skew:
    case FaultKind::partition:
      return;  // told where it is known what they are about
    case FaultKind::disk:
    case FaultKind::cut_short:
      return tell_of_call_fault(fault);
    default:
      return tell_of_fault(fault.kind, cluster_.network().link(fault.target));
  }
}

void NodesWorld::tell_of_fault(FaultKind kind, const Link& link) {
  const Message& message = *link.messages.front();
  const char* words = kind == FaultKind::drop        ? "LOSES "
                      : kind == FaultKind::duplicate ? "WILL GET TWICE "
                      : kind == FaultKind::reorder   ? "WILL GET AFTER THE NEXT ONE "
                                                     : "WILL GET LATE ";
  note(ActKind::fault, link.to,
       words + words_of(message) + " from " + show(message.from, cluster_));
}

void NodesWorld::record(Recording& recording) const {
  KeptStory story = story_;
  for (const RecordedProperty& property : properties_.recorded()) story.add(property);
  for (std::uint32_t i = 0; i < cluster_.size(); ++i) {
    const std::string end = ending(i);
    RecordedMachine node;
    node.number = i;
    node.name = cluster_.plan(i).name.c_str();
    node.variables = end.c_str();
    node.turns = cluster_.turns(i);
    node.restarts = cluster_.slot(i).lives;
    story.add(node);
    record_blocks(i, story);
  }
  story.copy_to(recording);
  recording.outcome.task = task_id(failed_node_);  // lanes are nodes
}

std::string NodesWorld::ending(std::uint32_t node) const {
  switch (nodes_[node].post) {
    case NodePost::ended:
      if (nodes_[node].has_crashed) return "has crashed";
      return cluster_.slot(node).outcome.kind == OutcomeKind::ok ? "has ended" : "has failed";
    case NodePost::idle:
      return "waits";
    case NodePost::nothing:
      return "is gone";
    default:
      return "could go on";
  }
}

}  // namespace ricercar::inline nodes
