#include "model/trace_hash.h"

#include "base/random.h"

namespace ricercar::inline model {
namespace {

constexpr std::uint64_t other_half = 0xd6e8feb86659fd93;

}  // namespace

void TraceHash::Number::mix(const Number& other) {
  low = mix64(low ^ other.low);
  high = mix64(high ^ other.high);
}
void TraceHash::Number::mix_sum(const Number& other) {
  low = mix64(low + other.low);
  high = mix64(high + other.high);
}
void TraceHash::Number::mix(std::uint64_t part) { mix(Number{part, part ^ other_half}); }
void TraceHash::Number::add(const Number& other) {
  low += other.low;
  high += other.high;
}

TraceHash::Number& TraceHash::of_task(std::uint64_t task) {
  if (task >= tasks_.size()) {
    tasks_.resize(task + 1);
    waiting_.resize(task + 1, 0);
  }
  return tasks_[task];
}

void TraceHash::begin() {
  tasks_.assign(tasks_.size(), {});
  waiting_.assign(waiting_.size(), 0);
  objects_.clear();
  slot_ = {};
  sum_ = {};
  seen_ = 0;
}

Fingerprint TraceHash::extend(Trace trace) {
  for (const Step& step : trace.subspan(seen_)) {
    add(step);
    sum_.add(number_);
  }
  seen_ = trace.size();
  return {mix64(sum_.low), mix64(sum_.high)};
}

std::uint64_t TraceHash::of(Trace trace) {
  begin();
  return extend(trace).low;
}

// Byte by byte, so that accesses of different sizes meet.
void TraceHash::touch(const Touch& piece) {
  for (std::uint64_t at = piece.object; at < piece.object + piece.size; ++at) {
    Object& object = objects_[at];
    number_.mix(object.write);
    if (piece.writes) number_.mix_sum(object.reads);
    (piece.writes ? written_ : read_).push_back(&object);
  }
}

void TraceHash::add(const Step& step) {
  const bool decided = is_decided(step);
  Number& last = of_task(index(step.task));
  const bool was_let_go = !decided && info(step.kind).role == Role::let_go;
  if (was_let_go) last.mix(slot_);
  number_ = last;
  number_.mix(std::uint64_t{index(step.task)} << 8 | static_cast<std::uint8_t>(step.kind));
  if ((step.flags & step_value) != 0) number_.mix(step.value + 1);
  written_.clear();
  read_.clear();
  for_each_touch(step, decided, [this](const Touch& piece) { touch(piece); });
  for (Object* object : written_) *object = {number_, {}};
  for (Object* object : read_) object->reads.add(number_);
  last = number_;
  if (decided) slot_ = number_;
  apply_edges(step);
}

void TraceHash::apply_edges(const Step& step) {
  if ((step.flags & (step_value | step_failed)) != 0) return;
  switch (info(step.kind).role) {
    case Role::creates:
      of_task(step.value) = number_;
      return;
    case Role::joins: {
      const Number ended = of_task(step.object);
      of_task(index(step.task)).mix(ended);
      return;
    }
    case Role::waits:
      waiting_[index(step.task)] = step.object;
      return;
    case Role::wakes_one:
      of_task(step.value).mix(number_);
      waiting_[step.value] = 0;
      return;
    case Role::wakes_all:
      for (std::size_t task = 0; task < tasks_.size(); ++task) {
        if (waiting_[task] != step.object) continue;
        tasks_[task].mix(number_);
        waiting_[task] = 0;
      }
      return;
    case Role::none:
    case Role::let_go:
    case Role::locks:
    case Role::unlocks:
    case Role::follows:
      return;
  }
}

}  // namespace ricercar::inline model
