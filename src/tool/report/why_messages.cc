// Why machines or nodes failed: which messages came in which order, and which of them knew of
// which. What happened is ordered as Lamport has it ("Time, clocks, and the ordering of events in a
// distributed system", 1978): by the order of each lane, and from what was sent to where it came.
// Where it is not known what has led to something, all that came before counts as its past; so two
// that are called unordered are.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "report/style.h"
#include "report/why.h"

namespace ricercar::inline report {
namespace {

constexpr std::size_t most_steps_explained = 20000;
constexpr std::size_t nothing = ~std::size_t{0};

bool is(const ReportStep& step, ActKind kind) { return step.operation == name_of(kind); }

// The past of each step: up to which of its steps each lane belongs to it.
class Pasts {
 public:
  Pasts(const std::vector<ReportStep>& steps, std::size_t lanes) : steps_(steps) {
    std::vector<std::vector<std::size_t>> of_lanes(lanes, std::vector<std::size_t>(lanes, 0));
    std::vector<std::vector<std::size_t>> given(lanes);  // by who has created or crashed it
    pasts_.reserve(steps.size());
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const ReportStep& step = steps[i];
      std::vector<std::size_t>& own = of_lanes[index(step.lane)];
      if (!given[index(step.lane)].empty()) join(own, given[index(step.lane)]);
      const bool is_taken = is(step, ActKind::handle) || is(step, ActKind::receive) ||
                            is(step, ActKind::arrive) || is(step, ActKind::fire);
      if (step.sent_by != 0) {
        join(own, pasts_[step.sent_by - 1]);
      } else if (is_taken) {
        for (const auto& other : of_lanes) join(own, other);
      }
      own[index(step.lane)] = i + 1;
      pasts_.push_back(own);
      const bool changes_it = is(step, ActKind::create) || is(step, ActKind::start_timer) ||
                              is(step, ActKind::crash) || is(step, ActKind::restart);
      if (changes_it && step.receiver != no_task) given[index(step.receiver)] = own;
    }
  }

  bool is_before(std::size_t one, std::size_t other) const {
    return pasts_[other][index(steps_[one].lane)] > one;
  }

 private:
  static void join(std::vector<std::size_t>& own, const std::vector<std::size_t>& other) {
    for (std::size_t i = 0; i < own.size(); ++i) own[i] = std::max(own[i], other[i]);
  }

  const std::vector<ReportStep>& steps_;
  std::vector<std::vector<std::size_t>> pasts_;
};

class MessageReasons {
 public:
  MessageReasons(const Report& report, const std::vector<ReportStep>& steps, std::size_t lanes)
      : report_(report), steps_(steps), pasts_(steps, lanes) {}

  Why explain() {
    if (report_.world == WorldKind::nodes) {
      explain_nodes();
    } else {
      explain_machines();
    }
    tell_faults();
    std::stable_sort(
        why_.places.begin(), why_.places.end(),
        [](const WhyPlace& one, const WhyPlace& other) { return one.number < other.number; });
    return std::move(why_);
  }

 private:
  // --- Words ---

  void say(const std::string& pattern, const std::string& sentence) {
    if (why_.pattern.empty()) why_.pattern = pattern;
    why_.sentences.push_back(sentence);
  }

  // "(event 7)", and its place becomes one of the explanation.
  std::string at(const char* role, std::size_t step) {
    const ReportStep& told = steps_[step];
    const bool is_known = std::any_of(
        why_.places.begin(), why_.places.end(),
        [&](const WhyPlace& place) { return place.number == told.number && place.role == role; });
    if (!is_known) why_.places.push_back({role, told.lane, told.number, told.what, told.place});
    return fmt::format("(event {})", told.number);
  }

  // "Server#0 handles Ask{1} in Serving (event 7)"
  std::string tell(const char* role, std::size_t step) {
    return fmt::format("{} {} {}", name(step), steps_[step].what, at(role, step));
  }

  std::string name(std::size_t step) const { return report_.name(steps_[step].lane); }

  // --- Questions ---

  bool is_taken(std::size_t step) const {
    return is(steps_[step], ActKind::handle) || is(steps_[step], ActKind::receive);
  }
  // Not a connection, or its end.
  bool is_data(std::size_t step) const {
    const std::string& what = steps_[step].what;
    return is(steps_[step], ActKind::arrive) && what.starts_with("gets ") && what.size() > 5 &&
           what[5] >= '0' && what[5] <= '9';
  }
  bool is_message(std::size_t step) const {
    return report_.world == WorldKind::nodes ? is_data(step) : is_taken(step);
  }
  // Where it was sent; nothing: unknown.
  std::size_t sent(std::size_t step) const {
    return steps_[step].sent_by == 0 ? nothing : steps_[step].sent_by - 1;
  }
  TaskId sender(std::size_t step) const {
    return sent(step) == nothing ? no_task : steps_[sent(step)].lane;
  }
  std::size_t last_message(TaskId lane, std::size_t before) const {
    while (before-- > 0) {
      if (steps_[before].lane == lane && is_message(before)) return before;
    }
    return nothing;
  }
  std::size_t last_from(TaskId lane, TaskId from, std::size_t before) const {
    std::size_t found = last_message(lane, before);
    while (found != nothing && sender(found) != from) found = last_message(lane, found);
    return found;
  }

  // --- Machines ---

  void explain_machines() {
    const std::size_t last =
        report_.lane == no_task ? nothing : last_message(report_.lane, steps_.size());
    if (report_.outcome == OutcomeKind::unhandled_event && last != nothing) tell_unexpected(last);
    if (last != nothing && (tell_overtaken(last) || tell_race(last))) return;
    if (!report_.headline.ends_with("nobody can go on") &&
        report_.outcome != OutcomeKind::deadlock) {
      return;
    }
    tell_lost_messages();
    tell_waiting();
  }

  // An event that comes in a state which does not expect it.
  void tell_unexpected(std::size_t taken) {
    if (sent(taken) == nothing) return;
    const ReportStep& step = steps_[taken];
    say("unexpected-event",
        fmt::format("{}, and {} takes it in its state {} {}.", tell("sends", sent(taken)),
                    name(taken), step.state, at("handles", taken)));
    const std::size_t before = last_message(step.lane, taken);
    if (before == nothing || steps_[before].state == step.state) return;
    why_.sentences.push_back(fmt::format("It was in another state before: {}{}.",
                                         tell("handles", before),
                                         before > sent(taken) ? ", after that had been sent" : ""));
  }

  // Nothing says which of the last message and an earlier one comes first.
  bool tell_race(std::size_t last) {
    if (sent(last) == nothing) return false;
    for (std::size_t other = last_message(steps_[last].lane, last); other != nothing;
         other = last_message(steps_[last].lane, other)) {
      if (sent(other) == nothing || sender(other) == sender(last)) continue;
      if (pasts_.is_before(sent(other), sent(last)) || pasts_.is_before(other, sent(last)))
        continue;
      const std::string first = tell("handles", other);
      const std::string second = tell("handles", last);
      say("message-race", fmt::format("{}, and only then {}.", first, second));
      say("message-race",
          fmt::format(
              "Nothing orders the two: {} sends the one {}, {} the other one {}, and neither "
              "knows of what the other has sent.",
              name(sent(other)), at("sends", sent(other)), name(sent(last)),
              at("sends", sent(last))));
      return true;
    }
    return false;
  }

  // What was sent later has come earlier.
  bool tell_overtaken(std::size_t last) {
    for (std::size_t late = last; late != nothing; late = last_message(steps_[last].lane, late)) {
      if (sent(late) == nothing) continue;
      for (std::size_t early = last_message(steps_[last].lane, late); early != nothing;
           early = last_message(steps_[last].lane, early)) {
        if (sent(early) == nothing || sent(early) == sent(late)) continue;
        if (!pasts_.is_before(sent(late), sent(early))) continue;
        const std::string first = tell("sends", sent(late));
        const std::string second = tell("sends", sent(early));
        say("overtaken",
            fmt::format(
                "{}, and after that {}. But {} gets the later one first {}, and the earlier "
                "one after it {}.",
                first, second, name(last), at("handles", early), at("handles", late)));
        return true;
      }
    }
    return false;
  }

  // To machines that have crashed or halted.
  void tell_lost_messages() {
    std::vector<bool> is_taken_somewhere(steps_.size(), false);
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      if (sent(i) != nothing) is_taken_somewhere[sent(i)] = true;
    }
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      if (!is(steps_[i], ActKind::send) || is_taken_somewhere[i]) continue;
      for (std::size_t end = 0; end < steps_.size(); ++end) {
        const bool crashes =
            is(steps_[end], ActKind::crash) && steps_[end].receiver == steps_[i].receiver;
        const bool halts = is(steps_[end], ActKind::halt) && steps_[end].lane == steps_[i].receiver;
        if ((!crashes && !halts) || is_restarted_between(end, i)) continue;
        say("lost-message", fmt::format("{}, which is lost: {}.", tell("sends", i),
                                        tell(crashes ? "crashes" : "halts", end)));
        break;
      }
    }
  }

  bool is_restarted_between(std::size_t end, std::size_t sending) const {
    for (std::size_t i = end; i < sending; ++i) {
      if (is(steps_[i], ActKind::restart) && steps_[i].receiver == steps_[end].receiver)
        return true;
    }
    return false;
  }

  // Who waits for something that nobody sends.
  void tell_waiting() {
    for (const Lane& lane : report_.lanes) {
      if (lane.phase != "receiving") continue;
      std::size_t last = nothing;
      std::size_t asked = nothing;
      for (std::size_t i = 0; i < steps_.size(); ++i) {
        if (steps_[i].lane != lane.id) continue;
        last = i;
        if (is(steps_[i], ActKind::send) && steps_[i].receiver != lane.id) asked = i;
      }
      if (last == nothing) continue;
      const std::string queue =
          lane.queue.empty() ? "" : fmt::format(", though {} is in its queue", lane.queue);
      say("nobody-sends", fmt::format("{} waits for an event that nobody sends{}; the last that it "
                                      "did: {}.",
                                      lane.name, queue, tell("waits", last)));
      if (asked != nothing && asked != last) {
        why_.sentences.push_back(fmt::format("Before that {}.", tell("sends", asked)));
      }
    }
  }

  // --- Nodes ---

  void explain_nodes() {
    explain_last_message();
    tell_lost_datagrams();
    tell_values();
  }

  void explain_last_message() {
    if (report_.lane == no_task) return;
    const std::size_t last = last_message(report_.lane, steps_.size());
    if (last == nothing || sent(last) == nothing) return;
    if (tell_overtaken(last) || tell_stale_reply(last)) return;
    tell_change_between(last);
  }

  // Sent before anybody listened.
  void tell_lost_datagrams() {
    constexpr std::size_t most = 3;
    std::size_t count = 0;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const bool is_lost =
          is(steps_[i], ActKind::arrive) && steps_[i].what.ends_with(is_lost_words);
      if (!is_lost || ++count > most) continue;
      const std::size_t later = first_call_of("bind", steps_[i].lane, i);
      say("lost-message", tell("gets", i) + (later == nothing ? "."
                                                              : fmt::format("; {} only after that.",
                                                                            tell("binds", later))));
    }
  }
  static constexpr const char* is_lost_words = ", which is lost";

  std::size_t first_call_of(const std::string& function, TaskId lane, std::size_t from) const {
    for (std::size_t i = from; i < steps_.size(); ++i) {
      const bool is_call = steps_[i].lane == lane && is(steps_[i], ActKind::call) &&
                           steps_[i].what.find("calls " + function + "()") != std::string::npos;
      if (is_call) return i;
    }
    return nothing;
  }

  // Who has reported the values that a property speaks of: "server.number = 2" in its message.
  void tell_values() {
    if (report_.outcome != OutcomeKind::property) return;
    std::vector<std::string> reports;
    std::set<std::size_t> told;
    for (std::size_t i = steps_.size(); i-- > 0;) {
      if (!is(steps_[i], ActKind::log)) continue;
      for (const std::string& value : split(steps_[i].value)) {
        const std::string key = name(i) + "." + value.substr(0, value.find(" = "));
        if (!known_values_.insert(key).second) continue;
        if (is_in_headline(name(i) + "." + value)) told.insert(i);
      }
    }
    for (const std::size_t i : told) reports.push_back(tell("reports", i));
    if (reports.size() > 1) say("reported-values", enumerated(reports) + ".");
  }

  bool is_in_headline(const std::string& words) const {
    const std::size_t at = report_.headline.find(words);
    const std::size_t end = at + words.size();
    return at != std::string::npos &&
           (end == report_.headline.size() || report_.headline.substr(end).starts_with(", "));
  }

  static std::vector<std::string> split(const std::string& values) {
    std::vector<std::string> all;
    for (std::size_t at = 0; at < values.size();) {
      const std::size_t end = std::min(values.find(", ", at), values.size());
      all.push_back(values.substr(at, end - at));
      at = end + 2;
    }
    return all;
  }

  // "a:1" and "b:2" of "gets 3 bytes from a:1 at b:2".
  std::pair<std::string, std::string> addresses(std::size_t step) const {
    const std::string& what = steps_[step].what;
    const std::size_t at = what.rfind(" at ");
    const std::size_t from = what.rfind(" from ", at);
    if (at == std::string::npos || from == std::string::npos) return {};
    return {what.substr(from + 6, at - from - 6), what.substr(at + 4)};
  }

  // On the same connection: one may be the answer to the other.
  bool is_other_way(std::size_t one, std::size_t other) const {
    const auto [from, to] = addresses(one);
    return !from.empty() && addresses(other) == std::pair(to, from);
  }

  // What this node has come to know in [from, to) of others than one. If it reports something after
  // one of them, that has changed it, and it is the only one.
  std::vector<std::size_t> messages_between(TaskId lane, TaskId not_from, std::size_t from,
                                            std::size_t to) const {
    std::vector<std::size_t> found;
    for (std::size_t i = from; i < to; ++i) {
      const bool is_other = steps_[i].lane == lane && is_data(i) && sender(i) != no_task &&
                            sender(i) != not_from && sender(i) != lane;
      if (is_other) found.push_back(i);
      const bool is_change = steps_[i].lane == lane && is(steps_[i], ActKind::log);
      if (is_change && !found.empty()) return {found.back()};
    }
    return found;
  }

  std::size_t message_between(TaskId lane, TaskId not_from, std::size_t from,
                              std::size_t to) const {
    const std::vector<std::size_t> found = messages_between(lane, not_from, from, to);
    return found.empty() ? nothing : found.back();
  }

  // A node acts on an answer after which the node that gave it has heard from somebody else.
  bool tell_stale_reply(std::size_t last) {
    const TaskId here = steps_[last].lane;
    const TaskId client = sender(last);
    const std::size_t answer = last_from(client, here, sent(last));
    if (answer == nothing || !is_other_way(answer, last)) return false;
    const std::size_t other = message_between(here, client, sent(answer), last);
    if (other == nothing || pasts_.is_before(other, sent(last))) return false;
    const std::string sends = at("sends", sent(answer));
    say("stale-answer", fmt::format("{} answers {} {}, and after that {}.", name(last),
                                    report_.name(client), sends, tell("gets", other)));
    const std::string gets = tell("gets", answer);
    say("stale-answer",
        fmt::format(
            "{}, the answer from before that; and then {}. When {} sent it, it did not know "
            "of what had come in between.",
            gets, tell("gets", last), report_.name(client)));
    return true;
  }

  // Between two requests of the failing node another one was served.
  bool tell_change_between(std::size_t last) {
    const TaskId here = steps_[last].lane;
    const TaskId server = sender(last);
    if (server == here) return false;
    const std::size_t second = last_from(server, here, sent(last));
    const std::size_t first = second == nothing ? nothing : last_from(server, here, second);
    if (first == nothing || !is_other_way(second, last)) return false;
    const std::vector<std::size_t> others = messages_between(server, here, first, second);
    if (others.empty()) return false;
    const std::string start = tell("gets", first);
    const std::string between = told_last(others);
    say("changed-between",
        fmt::format("{}, then {}, and only then {}.", start, between, tell("gets", second)));
    say("changed-between",
        fmt::format(
            "{} fails with the answer to that {}: what it was told before need not hold any "
            "more, because others were served in between.",
            name(last), at("gets", last)));
    return true;
  }

  // Nobody knows which of them matter: rather those that came last.
  std::string told_last(const std::vector<std::size_t>& messages) {
    constexpr std::size_t most = 3;
    const std::size_t first = messages.size() - std::min(messages.size(), most);
    std::vector<std::string> words;
    for (std::size_t i = first; i < messages.size(); ++i)
      words.push_back(tell("gets", messages[i]));
    return first == 0
               ? enumerated(words)
               : fmt::format("after {}, {}", counted(first, "more message"), enumerated(words));
  }

  // What goes wrong on purpose. Whether it fails without that nobody has shown: what is shorter may
  // have more faults.
  void tell_faults() {
    constexpr std::size_t most = 6;
    std::vector<std::string> faults;
    std::size_t count = 0;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const bool is_one = is(steps_[i], ActKind::fault) || is(steps_[i], ActKind::crash);
      if (is_one && ++count <= most) faults.push_back(tell("fault", i));
    }
    if (faults.empty() || !report_.minimised) return;
    if (count > most) faults.push_back(fmt::format("{} more", count - most));
    say("faults", fmt::format("The shortest execution that was found has {}: {}.",
                              count == 1 ? "this fault" : "these faults", enumerated(faults)));
  }

  const Report& report_;
  const std::vector<ReportStep>& steps_;
  const Pasts pasts_;
  std::set<std::string> known_values_;
  Why why_;
};

}  // namespace

Why explain_messages(const Report& report, const std::vector<ReportStep>& steps) {
  std::size_t lanes = 0;
  for (const ReportStep& step : steps) {
    lanes = std::max<std::size_t>(lanes, index(step.lane) + 1);
    if (step.receiver != no_task) lanes = std::max<std::size_t>(lanes, index(step.receiver) + 1);
  }
  if (steps.empty() || steps.size() > most_steps_explained) return {};
  return MessageReasons(report, steps, lanes).explain();
}

}  // namespace ricercar::inline report
