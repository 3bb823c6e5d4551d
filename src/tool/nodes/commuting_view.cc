#include "nodes/commuting_view.h"

namespace ricercar::inline nodes {

// What happens before the first decision is nobody's: the first thread stands for all.
void CommutingView::begin_execution() {
  trace_.clear();
  running_ = names_.thread(0, task_id(0));
  add(OperationKind::start, 0);
}

void CommutingView::begin_slot(TaskId task, OperationKind kind, std::uint64_t object,
                               std::uint32_t options) {
  running_ = task;
  add(kind, object);
  trace_.back().options = static_cast<std::uint16_t>(options);
}

void CommutingView::begin_kept_slot(TaskId task, std::uint32_t node, std::uint32_t options) {
  begin_slot(task, OperationKind::let_pass, objects::gate(node, index(task)), options);
}

void CommutingView::keep(TaskId task, std::uint32_t node) {
  touch(objects::gate(node, index(task)));
  trace_.back().open = open_to_one;
}

Step CommutingView::wanted(TaskId task, std::uint32_t node) {
  const std::uint64_t gate = objects::gate(node, index(task));
  return {0, gate, 0, task, OperationKind::let_pass, step_blocked, 0, 0, 0};
}

void CommutingView::add_value(TaskId task, std::size_t chosen, std::uint32_t alternatives) {
  trace_.push_back({0, 0, chosen, task, OperationKind::choose, step_value, 0, 0,
                    static_cast<std::uint16_t>(alternatives)});
}

void CommutingView::touch(const Touched& touched) {
  const std::uint64_t link = index(names_.link(touched.link));
  switch (touched.what) {
    case Touched::message:
      return touch(objects::message(link, touched.number));
    case Touched::unread:
      return glance(objects::unread(link));
    case Touched::unread_seen:
      return touch(objects::unread(link));
  }
}

void CommutingView::add(OperationKind kind, std::uint64_t object) {
  trace_.push_back({0, object, 0, running_, kind, 0, 0, 0, 0});
}

}  // namespace ricercar::inline nodes
