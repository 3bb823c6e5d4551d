#include "model/trace_hash.h"

#include "base/random.h"

namespace ricercar {

std::uint64_t& TraceHash::of_task(std::uint64_t task) {
  if (task >= tasks_.size()) {
    tasks_.resize(task + 1, 0);
    waiting_.resize(task + 1, 0);
  }
  return tasks_[task];
}

std::uint64_t TraceHash::of(Trace trace) {
  tasks_.assign(tasks_.size(), 0);
  waiting_.assign(waiting_.size(), 0);
  objects_.clear();
  slot_ = 0;
  std::uint64_t sum = 0;
  for (const Step& step : trace) {
    add(step);
    sum += number_;
  }
  return mix64(sum);
}

// Byte by byte, so that accesses of different sizes meet.
void TraceHash::touch(const Touch& piece) {
  for (std::uint64_t at = piece.object; at < piece.object + piece.size; ++at) {
    Object& object = objects_[at];
    number_ = mix64(number_ ^ object.write);
    if (piece.writes) number_ = mix64(number_ + object.reads);
    (piece.writes ? written_ : read_).push_back(&object);
  }
}

void TraceHash::add(const Step& step) {
  const bool decided = is_decided(step);
  std::uint64_t& last = of_task(index(step.task));
  const bool was_let_go =
      !decided && (step.kind == OperationKind::barrier_leave || step.kind == OperationKind::wake ||
                   step.kind == OperationKind::once);
  if (was_let_go) last = mix64(last ^ slot_);
  number_ =
      mix64(last ^ (std::uint64_t{index(step.task)} << 8 | static_cast<std::uint8_t>(step.kind)));
  if ((step.flags & step_value) != 0) number_ = mix64(number_ ^ (step.value + 1));
  written_.clear();
  read_.clear();
  for_each_touch(step, decided, [this](const Touch& piece) { touch(piece); });
  for (Object* object : written_) *object = {number_, 0};
  for (Object* object : read_) object->reads += number_;
  last = number_;
  if (decided) slot_ = number_;
  apply_edges(step);
}

void TraceHash::apply_edges(const Step& step) {
  if ((step.flags & (step_value | step_failed)) != 0) return;
  switch (step.kind) {
    case OperationKind::create:
      of_task(step.value) = number_;
      return;
    case OperationKind::join: {
      const std::uint64_t ended = of_task(step.object);
      std::uint64_t& own = of_task(index(step.task));
      own = mix64(own ^ ended);
      return;
    }
    case OperationKind::wait:
    case OperationKind::timed_wait:
      waiting_[index(step.task)] = step.object;
      return;
    case OperationKind::signal: {
      std::uint64_t& waiter = of_task(step.value);
      waiter = mix64(waiter ^ number_);
      waiting_[step.value] = 0;
      return;
    }
    case OperationKind::broadcast:
      for (std::size_t task = 0; task < tasks_.size(); ++task) {
        if (waiting_[task] != step.object) continue;
        tasks_[task] = mix64(tasks_[task] ^ number_);
        waiting_[task] = 0;
      }
      return;
    default:
      return;
  }
}

}  // namespace ricercar
