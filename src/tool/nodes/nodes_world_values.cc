// What nodes report about themselves.
#include <fmt/format.h>

#include "nodes/nodes_world.h"

namespace ricercar::inline nodes {
namespace {

// As it stands in the program.
std::string call_of(const Reported& report) {
  return fmt::format(R"(ricercar::log("{}", "{}", ...))", report.id, report.names);
}

}  // namespace

// Those that were made before the step of that number in the trace of their own node.
void NodesWorld::take_reports(std::uint64_t first_step) {
  while (stop_ == Stop::none) {
    const Reported* next = cluster_.reports().front();
    if (next == nullptr || next->step > first_step) return;
    take(*cluster_.reports().take());
  }
}

void NodesWorld::take(const Reported& report) {
  slot_facts_.has_reported = true;
  switch (report.what) {
    case RICERCAR_LOG:
      return take_values(report);
    case RICERCAR_FORGET:
      for (const std::string& name : split_names(report.names)) values_.forget(report.node, name);
      return note(ActKind::note, report.node, fmt::format("forgets {}", report.names));
    default:
      return take_operation(report);
  }
}

void NodesWorld::take_operation(const Reported& report) {
  const bool is_answer = report.what == RICERCAR_RESPOND;
  const std::string& node = cluster_.plan(report.node).name;
  const char* client = *report.id == '\0' ? node.c_str() : report.id;
  error_ = is_answer ? operations_.respond(report, client) : operations_.invoke(report, client);
  if (!error_.empty()) return stop(Stop::failed);
  std::string words;
  for (const ricercar_value& value : report.all()) {
    words += (words.empty() ? "" : ", ") + NamedValue(value).words();
  }
  const std::string as_whom = node == client ? "" : fmt::format("{}: ", client);
  if (is_answer) {
    note(ActKind::respond, report.node,
         as_whom + (words.empty() ? "has its answer" : "has the answer " + words));
  } else {
    note(ActKind::note, report.node, fmt::format("{}invokes {}({})", as_whom, report.names, words));
  }
  check_properties(report.node);
}

void NodesWorld::take_values(const Reported& report) {
  const std::vector<std::string> names = split_names(report.names);
  if (names.size() != report.count) {
    error_ = fmt::format(
        "the node '{}' calls {}: each value needs a name, and there are {} names and {} values",
        cluster_.plan(report.node).name, call_of(report), names.size(), report.count);
    return stop(Stop::failed);
  }
  std::string words;
  for (std::size_t i = 0; i < names.size(); ++i) {
    values_.set(report.node, names[i], report.values[i]);
    words += (i == 0 ? "" : ", ") + names[i] + " = " + values_.find(report.node, names[i])->words();
  }
  if (records_) tell_of_report(report, words);
  check_properties(report.node);
}

// --- Properties ---

// `node`: who has done something.
void NodesWorld::check_properties(std::uint32_t node) {
  if (properties_.empty()) return;
  judge(node, &Properties::check);
  values_.settle();
}

// The execution has ended by itself.
void NodesWorld::check_end() {
  if (!properties_.empty()) judge(last_ == no_task ? 0 : node_of_last_step(), &Properties::at_end);
}

void NodesWorld::judge(std::uint32_t node, Judgement judgement) {
  try {
    const auto violation = (properties_.*judgement)(view_);
    refuse_what_sees_inside();
    if (!error_.empty()) return;
    if (records_) record_checks(violation);
    if (violation) violate(node, *violation);
  } catch (const PropertyThrew& threw) {
    error_ = threw.what();
    stop(Stop::failed);
  }
}

void NodesWorld::record_checks(const std::optional<Properties::Violation>& violation) {
  for (const std::uint32_t property : properties_.take_judged()) {
    const bool is_violated = violation && violation->property == property;
    story_.add(RecordedCheck{story_.acts().size(), property, is_violated});
  }
}

void NodesWorld::violate(std::uint32_t node, const Properties::Violation& violation) {
  failed_node_ = node;
  outcome_ = {};
  outcome_.kind = OutcomeKind::property;
  outcome_.message = violation.words;
  outcome_.object = violation.property + 1;
  outcome_.task = task_of(node, task_id(0));
  note(ActKind::fail, node, "violates a property: " + violation.words);
  stop(Stop::ended);
}

// Of a message: where it has arrived. What goes wrong is nobody's: the first one stands for all.
std::uint32_t NodesWorld::node_of_last_step() const {
  const Actor& actor = actors_[index(last_)];
  if (actor.node != no_node) return actor.node;
  return actor.link == no_link ? 0 : cluster_.network().link(actor.link).to;
}

}  // namespace ricercar::inline nodes
