// Hand-made recordings and symbols for the tests of the report.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "model/recording.h"
#include "report/symbols.h"

namespace ricercar::inline report {

// Source lines are numbered places; a "return address" is the index of a stack of frames.
class FakeSymbols : public Symbols {
 public:
  std::vector<Frame> frames(std::uint64_t return_address) override {
    const auto found = code.find(return_address);
    return found == code.end() ? std::vector<Frame>{} : found->second;
  }
  std::optional<Variable> global(std::uint64_t address) override {
    const auto found = globals.find(address);
    return found == globals.end() ? std::nullopt : std::optional<Variable>(found->second);
  }
  std::optional<Variable> local(std::uint64_t, std::uint64_t, std::uint64_t address) override {
    const auto found = locals.find(address);
    return found == locals.end() ? std::nullopt : std::optional<Variable>(found->second);
  }
  std::optional<HeapPart> heap_part(const std::vector<std::uint64_t>&, std::uint64_t,
                                    std::uint64_t offset) override {
    const auto found = heap_parts.find(offset);
    return found == heap_parts.end() ? std::nullopt : std::optional<HeapPart>(found->second);
  }
  std::optional<HeapPart> part_behind(std::uint64_t, std::uint64_t, std::uint64_t) override {
    return std::nullopt;
  }
  std::vector<DataMember> fields(const std::string& type) override { return classes[type]; }
  std::string source_text(const Frame& frame) override {
    return texts[frame.file + ":" + std::to_string(frame.line)];
  }
  bool has_debug_information() override { return has_debug; }

  std::map<std::uint64_t, std::vector<Frame>> code;
  std::map<std::uint64_t, Variable> globals;
  std::map<std::uint64_t, Variable> locals;
  std::map<std::uint64_t, HeapPart> heap_parts;  // by offset, in every block
  std::map<std::string, std::vector<DataMember>> classes;
  std::map<std::string, std::string> texts;
  bool has_debug = true;
};

class RecordingBuilder {
 public:
  FakeSymbols symbols;

  // A place in the user's code; its number is used as a return address.
  std::uint64_t line(const std::string& function, unsigned number, const std::string& text,
                     const std::string& file = "test.cc") {
    const std::uint64_t pc = 0x400000 + ++places_;
    symbols.code[pc] = {{function, file, number, "program", true}};
    symbols.texts[file + ":" + std::to_string(number)] = text;
    return pc;
  }
  // A place in the library.
  std::uint64_t library(const std::string& function) {
    const std::uint64_t pc = 0x500000 + ++places_;
    symbols.code[pc] = {{function, "/usr/include/c++/12/thread", 1, "libstdc++.so.6", false}};
    return pc;
  }
  std::uint64_t global(const std::string& name, ValueKind kind = ValueKind::unknown,
                       std::uint64_t size = 0) {
    const std::uint64_t address = 0x600000 + 64 * ++objects_;
    symbols.globals[address] = {name, size, kind, false, {}};
    return address;
  }

  StackRef stack(const std::vector<std::uint64_t>& frames) {
    const auto first = static_cast<std::uint32_t>(frames_.size());
    const auto count = static_cast<std::uint32_t>(frames.size());
    for (std::uint32_t i = 0; i < count; ++i) {
      frames_.push_back({frames[i], 0, first + i + 1, count - i});
    }
    return {first, count};
  }

  RecordedTask& task(std::uint32_t creator, std::uint64_t created_at = 0) {
    RecordedTask task{};
    task.id = task_id(static_cast<std::uint32_t>(tasks_.size()));
    task.creator = tasks_.empty() ? no_task : task_id(creator);
    if (created_at != 0) task.creation = stack({created_at});
    tasks_.push_back(task);
    return tasks_.back();
  }

  // A step; a plain access if it is a read or a write.
  Step& event(std::uint32_t task, OperationKind kind, std::uint64_t object, std::uint64_t value,
              const std::vector<std::uint64_t>& frames) {
    const bool is_plain = kind == OperationKind::read || kind == OperationKind::write;
    RecordedEvent event{};
    event.step.task = task_id(task);
    event.step.kind = kind;
    event.step.object = object;
    event.step.value = value;
    event.step.site = frames.empty() ? 0 : frames[0];
    event.step.size = 4;
    event.step.options = is_plain ? 0 : 2;
    event.step_index = is_plain ? steps_ : steps_++;
    event.stack = stack(frames);
    events_.push_back(event);
    return events_.back().step;
  }

  // Of the last event.
  void set_order(int order) { events_.back().order = static_cast<std::uint8_t>(order); }

  void hold(std::uint32_t task, std::uint64_t object, std::uint64_t place) {
    holds_.push_back({object, task_id(task), stack({place})});
  }
  void wait(std::uint32_t task, OperationKind kind, std::uint64_t object, std::uint64_t place) {
    tasks_[task].blocked = true;
    tasks_[task].waiting = {object, place, kind, 0};
    tasks_[task].stack = stack({place});
  }
  RecordedAllocation& allocation(std::uint64_t address, std::uint64_t size, std::uint32_t task,
                                 std::uint64_t place) {
    allocations_.push_back({address, size, task_id(task), no_task, stack({place}), {}});
    return allocations_.back();
  }

  RecordedOutcome& outcome(OutcomeKind kind, std::uint32_t task, const std::string& message,
                           const std::vector<std::uint64_t>& frames) {
    outcome_.kind = kind;
    outcome_.task = task_id(task);
    outcome_.other_task = no_task;
    outcome_.stack = stack(frames);
    message.copy(outcome_.message, sizeof outcome_.message - 1);
    return outcome_;
  }

  Recording build() {
    Recording recording{};
    recording.outcome = outcome_;
    recording.steps = steps_;
    recording.period = period;
    event_array_ = {events_.begin(), events_.end()};
    task_array_ = {tasks_.begin(), tasks_.end()};
    allocation_array_ = {allocations_.begin(), allocations_.end()};
    recording.events = {event_array_.data(), event_array_.size()};
    recording.frames = {frames_.data(), frames_.size()};
    recording.tasks = {task_array_.data(), task_array_.size()};
    recording.holds = {holds_.data(), holds_.size()};
    recording.allocations = {allocation_array_.data(), allocation_array_.size()};
    return recording;
  }

  std::uint64_t period = 0;

 private:
  std::uint64_t places_ = 0;
  std::uint64_t objects_ = 0;
  std::uint64_t steps_ = 0;
  RecordedOutcome outcome_{};
  // Deques, because the functions above give references out.
  std::deque<RecordedEvent> events_;
  std::deque<RecordedTask> tasks_;
  std::deque<RecordedAllocation> allocations_;
  std::vector<RecordedEvent> event_array_;
  std::vector<RecordedTask> task_array_;
  std::vector<RecordedAllocation> allocation_array_;
  std::vector<RecordedFrame> frames_;
  std::vector<RecordedHold> holds_;
};

}  // namespace ricercar::inline report
