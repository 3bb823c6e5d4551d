#include "report/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "model/dependence.h"
#include "report/assertion_place.h"

namespace ricercar::inline report {
namespace {

// A part of what a pointer points to, as a programmer writes it.
std::string behind_pointer(const std::string& pointer, const std::string& part) {
  if (part.empty()) return "*" + pointer;
  return part[0] == '.' ? pointer + "->" + part.substr(1) : pointer + part;
}

bool is_smart_pointer(std::string_view type) {
  return type.starts_with("unique_ptr<") || type.starts_with("shared_ptr<");
}

// Containers of the library that have a block for each element.
bool has_nodes(std::string_view type) {
  for (const std::string_view container :
       {"list<", "forward_list<", "map<", "multimap<", "set<", "multiset<", "unordered_map<",
        "unordered_set<", "unordered_multimap<", "unordered_multiset<"}) {
    if (type.starts_with(container)) return true;
  }
  return false;
}

// The type of a heap block.
bool is_node(const std::string& type) { return type.ends_with(" node"); }

// "[1].next": of the elements of a vector.
std::string element_path(const std::optional<HeapPart>& part, std::uint64_t offset,
                         std::uint64_t element_size) {
  if (part && part->part.name.starts_with("[")) return part->part.name;
  const std::uint64_t size = std::max<std::uint64_t>(element_size, 1);
  if (part) return "[0]" + part->part.name;
  const std::string rest = offset % size == 0 ? "" : fmt::format("+{}", offset % size);
  return fmt::format("[{}]{}", offset / size, rest);
}

// Keys that were made in the execution are counted from 1; the others have the C library's numbers.
std::string key_name(std::uint64_t object) {
  const std::uint64_t number = objects::key_number(object);
  return number < objects::keys_from_before_main
             ? fmt::format("thread key {} from before main", number)
             : fmt::format("thread key #{}", number - objects::keys_from_before_main + 1);
}

}  // namespace

Names::Names(const Recording& recording, Symbols& symbols)
    : recording_(recording), symbols_(symbols), blocks_(recording.allocations) {}

std::string Names::task(TaskId id) { return fmt::format("T{}", index(id)); }

std::string Names::tasks(TaskId first, TaskId last) {
  if (first == last) return task(first);
  return task(first) + (index(last) == index(first) + 1 ? ", " : " to ") + task(last);
}

std::string Names::titled_task(TaskId id) {
  return title(id).empty() ? task(id) : fmt::format("{} ({})", task(id), title(id));
}

std::string Names::named_task(TaskId id) {
  for (const RecordedTask& candidate : recording_.tasks) {
    if (candidate.id == id && candidate.name[0] != '\0') return titled_task(id);
  }
  return task(id);
}

const std::string& Names::title(TaskId id) {
  const auto [known, is_new] = titles_.try_emplace(id);
  if (!is_new) return known->second;
  for (const RecordedTask& candidate : recording_.tasks) {
    if (candidate.id == id) known->second = find_title(candidate);
  }
  return known->second;
}

std::string Names::find_title(const RecordedTask& task) {
  if (task.name[0] != '\0') return task.name;
  if (task.creator == no_task) return "main";
  std::string function = outermost_function(task.stack);
  for (const RecordedEvent& event : recording_.events) {
    if (!function.empty()) break;
    if (event.step.task == task.id) function = outermost_function(event.stack);
  }
  const RecordedOutcome& outcome = recording_.outcome;
  if (function.empty() && outcome.task == task.id) function = outermost_function(outcome.stack);
  if (!function.empty() || task.start_routine == 0) return function;
  // One further: an address is taken for a return address, which lies behind the call.
  const std::vector<Frame> start = symbols_.frames(task.start_routine + 1);
  return !start.empty() && start.back().is_users ? start.back().function : "";
}

std::string Names::outermost_function(const StackRef& stack) {
  std::string result;
  for (const Frame& frame : frames(stack)) {
    if (frame.is_users && !frame.function.empty()) result = frame.function;
  }
  return result;
}

bool Names::is_of_assertion(const StackRef& stack) const {
  const RecordedOutcome& outcome = recording_.outcome;
  if (outcome.kind != OutcomeKind::assertion || stack.size == 0) return false;
  return outcome.stack.size != 0 &&
         recording_.frames[stack.innermost].is(recording_.frames[outcome.stack.innermost]);
}

std::vector<Frame> Names::frames(const StackRef& stack) {
  std::vector<Frame> result;
  recording_.for_each_frame(stack, [&](const RecordedFrame& frame) {
    const std::vector<Frame> here = symbols_.frames(frame.place);
    result.insert(result.end(), here.begin(), here.end());
  });
  if (is_of_assertion(stack)) put_assertion_in_place(recording_.outcome.message, result);
  return result;
}

CallStack Names::calls(const StackRef& stack, bool full) {
  constexpr std::size_t most_calls = 16;
  CallStack result;
  std::size_t of_the_user = 0;
  for (const Frame& frame : frames(stack)) {
    result.is_cut = frame.is_users && ++of_the_user > most_calls && !full;
    if (result.is_cut) break;
    result.calls.push_back(place_of(frame));
  }
  return result;
}

Place Names::place(const StackRef& stack) {
  const std::vector<Frame> all = frames(stack);
  const auto users = std::find_if(all.begin(), all.end(), [](const Frame& frame) {
    return frame.is_users && !frame.file.empty();
  });
  if (users == all.end()) return place_in_library(all);
  Place place = place_of(*users);
  if (users != all.begin()) place.inside = std::prev(users)->function;
  return place;
}

Place Names::place_of(const Frame& frame) {
  const std::string name = frame.file.substr(frame.file.rfind('/') + 1);
  // The library's files are shown by name only: nobody wants to go there.
  return {frame, frame.is_users ? short_file(frame.file) : name, symbols_.source_text(frame), ""};
}

Place Names::last_place(TaskId task) {
  for (std::uint64_t i = recording_.events.size; i-- > 0;) {
    if (recording_.events[i].step.task != task) continue;
    const Place last = place(recording_.events[i].stack);
    if (last.is_known() && last.frame.is_users) return last;
  }
  return {};
}

bool Names::is_futex(std::uint64_t object) const {
  return std::any_of(
      recording_.events.begin(), recording_.events.end(), [object](const RecordedEvent& event) {
        const OperationKind kind = event.step.kind;
        return event.step.object == object &&
               (kind == OperationKind::futex_wait || kind == OperationKind::futex_timed_wait);
      });
}

Place Names::place_of_wait(const RecordedTask& task) {
  return task.stack.size > 0 ? place(task.stack) : place(task.waiting.site);
}

// Long paths would push everything else out of sight. Two files of one name keep their paths.
std::string Names::short_file(const std::string& path) {
  if (!path.starts_with("/")) return path;
  const std::string name = path.substr(path.rfind('/') + 1);
  const auto known = short_files_.try_emplace(name, path).first;
  return known->second == path ? name : path;
}

Place Names::place(std::uint64_t site) {
  const std::vector<Frame> all = symbols_.frames(site);
  for (const Frame& frame : all) {
    if (frame.is_users) return place_of(frame);
  }
  return place_in_library(all);
}

// Where none of the user's code is. The runtime's own is nobody's business.
Place Names::place_in_library(const std::vector<Frame>& calls) {
  const auto first = std::find_if(calls.begin(), calls.end(), [](const Frame& frame) {
    return !frame.module.starts_with("libricercar") &&
           !frame.file.starts_with(RICERCAR_OWN_SOURCES);
  });
  return first == calls.end() ? Place{} : place_of(*first);
}

const ObjectName& Names::object(std::uint64_t address, std::size_t at_event) {
  const auto known = objects_.find(address);
  if (known != objects_.end()) return known->second;
  return objects_.emplace(address, find_object(address, at_event)).first->second;
}

ObjectName Names::find_object(std::uint64_t address, std::size_t at_event) {
  if (objects::is_key(address)) return {key_name(address), Storage::unknown, {}};
  if (const std::optional<Variable> global = symbols_.global(address)) {
    return {global->name, Storage::global, *global};
  }
  if (const RecordedTask* owner = owner_of_stack(address)) {
    const std::optional<Variable> local = find_local(address, *owner, at_event);
    if (local) return {local->name, Storage::stack, *local};
    return {fmt::format("a local of {}", task(owner->id)), Storage::stack, {}};
  }
  if (const RecordedAllocation* block = allocation(address)) {
    return find_heap_object(*block, address - block->address);
  }
  return {fmt::format("{:#x}", address), Storage::unknown, {}};
}

std::string Names::block(std::uint64_t address) {
  std::string name = object(address).name;
  for (const NamedBlock& named : named_blocks_) {
    if (named.allocation == allocation(address)) name = named.name;
  }
  return name;
}

bool Names::is_of_thread_start(std::uint64_t address) {
  const RecordedAllocation* block = allocation(address);
  if (block == nullptr) return false;
  const auto [known, is_new] = thread_blocks_.try_emplace(block, false);
  if (!is_new) return known->second;
  for (const Frame& frame : frames(block->stack)) {
    if (frame.is_users) break;
    known->second = known->second || frame.function.starts_with("std::thread::");
  }
  return known->second;
}

bool Names::is_reference_count(std::uint64_t address, std::size_t at_event) {
  const std::string& name = object(address, at_event).name;
  return name.ends_with(".use_count") || name.ends_with(".weak_count");
}

bool Names::is_library_data(std::uint64_t address) const {
  for (const RecordedModule& module : recording_.modules) {
    if (address < module.low || address >= module.high) continue;
    const std::string_view path = module.path;
    return path.starts_with("/lib/") || path.starts_with("/usr/lib/") ||
           path.find("libricercar") != std::string_view::npos;
  }
  return false;
}

const RecordedTask* Names::owner_of_stack(std::uint64_t address) const {
  for (const RecordedTask& task : recording_.tasks) {
    if (address >= task.stack_low && address < task.stack_high) return &task;
  }
  return nullptr;
}

// Looks where the owner of the stack was around that time: the frame of the variable is live
// while others use the variable.
std::optional<Variable> Names::find_local(std::uint64_t address, const RecordedTask& owner,
                                          std::size_t at_event) {
  const std::size_t count = recording_.events.size;
  for (std::size_t i = std::min(at_event + 1, count); i-- > 0;) {
    const RecordedEvent& event = recording_.events[i];
    if (event.step.task != owner.id) continue;
    if (const auto found = local_in(event.stack, address)) return found;
  }
  for (std::size_t i = at_event + 1; i < count; ++i) {
    const RecordedEvent& event = recording_.events[i];
    if (event.step.task != owner.id) continue;
    if (const auto found = local_in(event.stack, address)) return found;
  }
  return local_in(owner.stack, address);
}

std::optional<Variable> Names::local_in(const StackRef& stack, std::uint64_t address) {
  // The innermost frame that begins above the address is the one that holds it.
  const RecordedFrame* holder = nullptr;
  recording_.for_each_frame(stack, [&](const RecordedFrame& frame) {
    if (holder == nullptr && frame.frame_address > address) holder = &frame;
  });
  if (holder == nullptr) return std::nullopt;
  return symbols_.local(holder->place, holder->frame_address, address);
}

ObjectName Names::find_heap_object(const RecordedAllocation& block, std::uint64_t offset) {
  std::vector<std::uint64_t> places;
  recording_.for_each_frame(block.stack,
                            [&](const RecordedFrame& frame) { places.push_back(frame.place); });
  std::optional<HeapPart> part = symbols_.heap_part(places, block.size, offset);
  const Holder& holder = holder_of(block);
  if (!part && holder.kind == Holder::Kind::pointer && holder.is_global) {
    part = symbols_.part_behind(holder.address, block.size, offset);
  }
  auto known = std::find_if(
      named_blocks_.begin(), named_blocks_.end(),
      [&block](const NamedBlock& candidate) { return candidate.allocation == &block; });
  if (known == named_blocks_.end()) {
    known = named_blocks_.insert(known, {&block, name_of_next_block(holder, part)});
  }
  const Variable variable = part ? part->part : Variable{};
  if (holder.kind == Holder::Kind::elements) {
    return {holder.name + element_path(part, offset, holder.element_size), Storage::heap, variable};
  }
  if (part && holder.kind == Holder::Kind::pointer) {
    return {behind_pointer(holder.name, part->part.name), Storage::heap, variable};
  }
  if (part) return {known->name + part->part.name, Storage::heap, variable};
  const std::string plain = offset == 0 ? known->name : fmt::format("{} + {}", known->name, offset);
  return {plain, Storage::heap, {}};
}

// `*head`, `queue[]`, `cache.entries node#2`, `Node#2`, `block 3`
std::string Names::name_of_next_block(const Holder& holder, const std::optional<HeapPart>& part) {
  const std::size_t number = named_blocks_.size() + 1;
  const bool has_type = part && !part->type.empty();
  switch (holder.kind) {
    case Holder::Kind::pointer:
      return "*" + holder.name;
    case Holder::Kind::elements:
      return holder.name + "[]";
    case Holder::Kind::node:
      if (has_type && is_node(part->type)) return fmt::format("{} node#{}", holder.name, number);
      break;
    case Holder::Kind::none:
      break;
  }
  return has_type ? fmt::format("{}#{}", part->type, number) : fmt::format("block {}", number);
}

const Names::Holder& Names::holder_of(const RecordedAllocation& block) {
  const auto known = holders_.find(&block);
  if (known != holders_.end()) return known->second;
  return holders_.emplace(&block, find_holder(block)).first->second;
}

// Two of them would be two names. A global variable comes first.
Names::Holder Names::find_holder(const RecordedAllocation& block) {
  if (!pointers_) note_pointers();
  const auto places = pointers_->find(block.address);
  if (places == pointers_->end()) return {};
  Holder found;
  for (const auto& [address, event] : places->second) {
    const Holder holder = as_holder(address, event);
    const bool is_one = holder.kind == Holder::Kind::node || target_counts_[address] == 1;
    if (holder.kind == Holder::Kind::none || !is_one) continue;
    if (found.kind == Holder::Kind::none || (holder.is_global && !found.is_global)) {
      found = holder;
    } else if (holder.is_global == found.is_global && holder.name != found.name) {
      return {};
    }
  }
  return found;
}

// What a variable of this type means for the block that it points to.
Names::Holder Names::as_holder(std::uint64_t address, std::size_t event) {
  const ObjectName object = find_object(address, event);
  const Variable& variable = object.variable;
  Holder holder{Holder::Kind::none, address, object.name, variable.library.element_size,
                object.storage == Storage::global};
  if (object.storage == Storage::unknown || variable.name.empty()) return holder;
  const std::string_view type = variable.library.type;
  if (variable.is_internal) {
    const bool is_first = variable.library.offset == 0;
    if (is_first && type.starts_with("vector<")) holder.kind = Holder::Kind::elements;
    if (is_first && is_smart_pointer(type)) holder.kind = Holder::Kind::pointer;
    if (has_nodes(type)) holder.kind = Holder::Kind::node;
  } else if (variable.kind == ValueKind::pointer || holder.is_global) {
    const bool is_named = variable.name != "this" && !variable.name.starts_with("__");
    if (is_named) holder.kind = Holder::Kind::pointer;
  }
  return holder;
}

// From what the program has read and written.
void Names::note_pointers() {
  pointers_.emplace();
  std::map<std::uint64_t, std::set<std::uint64_t>> targets;
  for (std::size_t i = 0; i < recording_.events.size; ++i) {
    const Step& step = recording_.events[i].step;
    if (!is_memory_access(step.kind) || step.size != 8 || step.object == 0) continue;
    const RecordedAllocation* block = allocation(step.value);
    const bool is_pointer = block != nullptr && block->address == step.value &&
                            allocation(step.object) == nullptr && !is_library_data(step.object);
    if (!is_pointer) continue;
    (*pointers_)[step.value].try_emplace(step.object, i);
    targets[step.object].insert(step.value);
  }
  for (const auto& [place, blocks] : targets) target_counts_[place] = blocks.size();
}

}  // namespace ricercar::inline report
