#include <algorithm>
#include <stdexcept>

#include "base/random.h"
#include "worker/threads_world.h"

namespace ricercar::inline worker {
namespace {

constexpr std::uint64_t longest_round = 64;
constexpr std::uint64_t longest_look = 1024;  // steps from the start of the trace

bool same(const Step& a, const Step& b) {
  return a.task == b.task && a.kind == b.kind && a.site == b.site && a.object == b.object;
}

std::uint32_t in_short(const Step& step) {
  return static_cast<std::uint32_t>(
      mix64(step.site ^ step.object * 0x9e3779b97f4a7c15ULL ^
            (std::uint64_t{index(step.task)} << 8 | static_cast<std::uint64_t>(step.kind))));
}

bool has_two_tasks(Trace round) {
  return std::any_of(round.begin(), round.end(),
                     [&](const Step& step) { return step.task != round[0].task; });
}

// Threads that come and go are progress.
bool is_repeatable(Trace round) {
  return std::none_of(round.begin(), round.end(), [](const Step& step) {
    return step.kind == OperationKind::create || step.kind == OperationKind::end ||
           step.kind == OperationKind::start || step.kind == OperationKind::exit;
  });
}

const Step* next_step_of(TaskId task, Trace trace) {
  const auto found = std::find_if(trace.begin(), trace.end(),
                                  [task](const Step& step) { return step.task == task; });
  return found == trace.end() ? nullptr : &*found;
}

// Every task that moves in the round is at its end about to do what it did first in it.
bool is_closed(Trace round, Trace rest) {
  TaskSet seen;
  for (const Step& step : round) {
    if (seen.contains(step.task)) continue;
    seen.insert(step.task);
    const Step* next =
        next_step_of(step.task, rest.first(std::min<std::uint64_t>(rest.size(), longest_round)));
    if (next == nullptr || !same(step, *next)) return false;
  }
  return true;
}

std::uint64_t hash_of_round(Trace round) {
  std::uint64_t hash = round.size();
  for (const Step& step : round) hash = mix64(hash ^ step.site ^ std::uint64_t{index(step.task)});
  return hash;
}

}  // namespace

// Calls visit(start, length) until it says true.
template <typename Visit>
void CircleFinder::for_each_round(Trace trace, Visit visit) {
  const std::uint64_t end = std::min<std::uint64_t>(trace.size(), longest_look);
  steps_.resize(end);
  std::transform(trace.begin(), trace.begin() + static_cast<std::ptrdiff_t>(end), steps_.begin(),
                 in_short);
  for (std::uint64_t start = 0; start < end; ++start) {
    const std::uint64_t longest = std::min(longest_round, end - start - 1);
    for (std::uint64_t length = 2; length <= longest; ++length) {
      if (steps_[start] != steps_[start + length]) continue;
      if (!same(trace[start], trace[start + length])) continue;
      const Trace round = trace.subspan(start, length);
      if (!has_two_tasks(round) || !is_repeatable(round)) continue;
      if (!is_closed(round, trace.subspan(start + length))) continue;
      if (visit(start, length)) return;
    }
  }
}

std::optional<Circle> CircleFinder::find(Trace trace) {
  std::optional<Circle> found;
  for_each_round(trace, [&](std::uint64_t start, std::uint64_t length) {
    const Trace round = trace.subspan(start, length);
    if (known_.insert(hash_of_round(round)).second)
      found = Circle{decisions_of(trace.first(start)), decisions_of(round), length};
    return found.has_value();
  });
  return found;
}

std::vector<std::uint64_t> CircleFinder::all(Trace trace) {
  std::vector<std::uint64_t> circles;
  for_each_round(trace, [&](std::uint64_t start, std::uint64_t length) {
    const std::uint64_t circle = hash_of_round(trace.subspan(start, length));
    const bool is_new = known_.count(circle) == 0 &&
                        std::find(circles.begin(), circles.end(), circle) == circles.end();
    if (is_new) circles.push_back(circle);
    return false;
  });
  return circles;
}

std::optional<Circle> CircleFinder::find(Trace trace, std::uint64_t wanted) {
  std::optional<Circle> found;
  for_each_round(trace, [&](std::uint64_t start, std::uint64_t length) {
    const Trace round = trace.subspan(start, length);
    if (hash_of_round(round) == wanted)
      found = Circle{decisions_of(trace.first(start)), decisions_of(round), length};
    return found.has_value();
  });
  return found;
}

void LivelockProbe::round_begins() {
  TaskSet left_out = could_run_;
  left_out.remove(ran_);
  if (!left_out.empty()) throw std::runtime_error("the circle is not fair");
  could_run_.clear();
  ran_.clear();
}

std::uint16_t LivelockProbe::next_decision() {
  const std::uint64_t before = circle_.before.choices.size();
  if (made_ < before) return circle_.before.choices[made_++];
  const std::uint64_t place = (made_++ - before) % circle_.around.choices.size();
  if (place == 0) round_begins();
  return circle_.around.choices[place];
}

std::size_t LivelockProbe::choose(const ChoicePoint& point) {
  if (made_ >= circle_.before.choices.size() && circle_.around.choices.empty()) {
    throw std::runtime_error("nothing is decided in the circle");
  }
  const std::uint16_t choice = next_decision();
  point.options.for_each(
      [this](const Option& option, std::uint32_t) { could_run_.insert(option.task); });
  if (point.kind == ChoiceKind::value) {
    if (choice >= point.options.size()) throw std::runtime_error("not the same alternatives");
    return choice;
  }
  if (!point.options.contains(task_id(choice))) throw std::runtime_error("not the same options");
  ran_.insert(task_id(choice));
  return point.options.position(task_id(choice));
}

}  // namespace ricercar::inline worker
