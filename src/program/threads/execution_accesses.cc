// What an execution notes of accesses to memory and of steps besides the trace, and plain loops
// that wait.
#include "threads/calls.h"
#include "threads/execution.h"
#include "threads/memory/heap.h"
#include "threads/recorder.h"
#include "threads/spin.h"

namespace ricercar::inline threads {

// --- Loops ---

void Execution::look_at_long_run(std::uint64_t site, bool may_spin) {
  if (long_run_.is_too_long()) return give_way(site);
  if (may_spin && !turns().is_patient()) look_for_plain_spin(site);
}

void Execution::check_plain_spin(std::uint64_t site) {
  if (turns().is_patient()) return;  // there is nobody else
  check_spin(self(), site);
  if (turns().spins_now(self().id)) turns().spins_on_plain_memory();
}

// As check_spin, for a read that is no point. What a library that is not instrumented does in such
// a loop is not seen, so it is no livelock if nobody else is left: then the loop runs on, and ends
// or hangs.
void Execution::look_for_plain_spin(std::uint64_t site) {
  Task& self = this->self();
  if (long_run_.looks()) reset_spin(self);
  if (self.spin.site == site) long_run_.compares();
  check_spin(self, site);
  if (turns().spins_now(self.id)) {
    long_run_.end_look();
    turns().spins_on_plain_memory();
    point(OperationKind::yield, nullptr, site);
  } else if (long_run_.looked_in_vain()) {
    long_run_.end_look();
  }
}

void Execution::give_way(std::uint64_t site) {
  begin_uninterrupted();
  const bool is_only = turns().ready().size() == 1 && turns().timed().empty();
  if (is_only) return;  // nobody to give way to
  point(OperationKind::yield, nullptr, site);
  yielded();
}

// --- The recorder ---

void Execution::set_recorder(Recorder* recorder) {
  recorder_ = recorder;
  program_.call_listeners.set_recorder(recorder);
}

void Execution::record_access(std::uint64_t address, std::uint32_t size, bool is_write,
                              std::uint64_t site) {
  event_ = recorder_->plain_access(*this, address, size, is_write, site);
}

void Execution::record_atomic(int order, std::uint64_t site) {
  event_ = recorder_->atomic_access(*this, static_cast<std::uint8_t>(order), site);
}

void Execution::record_heap(bool allocated, std::uint64_t address, std::uint64_t size,
                            std::uint64_t site) {
  event_ = recorder_->heap_event(*this, allocated, address, size, site);
}

void Execution::record_place(std::uint64_t site) { event_ = recorder_->place(self().id, site); }

void Execution::note_plain_access(std::uint64_t address, std::uint32_t size, bool is_write,
                                  std::uint64_t site) {
  note_use(address);
  if (recorder_ != nullptr) record_access(address, size, is_write, site);
}

// --- Contexts and the heap ---

// What the last step has to say besides its operation.
void Execution::note_more(const Task& task) {
  const std::uint64_t count = trace().size();
  if (options_.contexts) {
    event_ = task.context;
    if (contexts_.size() < count) contexts_.resize(2 * count);
    contexts_[count - 1] = task.context;
  }
  if (notes_heap_) use_heap(task, step().object);
  step().object = name_of(step().object);
}

// What happens before there is a second task comes before everything that others do.
void Execution::use_heap(const Task& task, std::uint64_t address) {
  const StepList& steps = scheduler_.steps;
  if (!heap_contains(address) || task_count() < 2 || !steps.has_slot()) return;
  heap_uses_.use(task.id, address, steps.size() - 1, steps.slot());
}

void Execution::block_freed(std::uint64_t address, std::uint64_t size) {
  if (options_.points == Points::shared && !alone()) sharing_.freed(self().id, address, size);
  if (!notes_heap_ || task_count() < 2 || !scheduler_.steps.has_slot()) return;
  heap_uses_.free(self().id, address, trace().size() - 1);
}

}  // namespace ricercar::inline threads
