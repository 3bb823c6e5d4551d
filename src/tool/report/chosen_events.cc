#include <algorithm>
#include <cctype>
#include <unordered_map>
#include <unordered_set>

#include "report/build_threads.h"
#include "report/phrases.h"

namespace ricercar::inline report {
namespace {

bool is_write(const Step& step) { return access_of(step.kind) == Access::write; }

// What threads do with an object.
struct Use {
  TaskId task = no_task;
  bool by_others = false;
  bool written = false;
};

class EventChooser {
 public:
  EventChooser(Names& names, const StepOptions& options)
      : names_(names),
        unshown_names_(names.recording(), names.symbols()),
        recording_(names.recording()),
        options_(options) {
    note_first_creation();
    note_uses();
  }

  std::vector<std::size_t> choose() {
    std::vector<std::size_t> chosen;
    for (std::size_t i = 0; i < recording_.events.size; ++i) {
      if (!is_chosen(i)) continue;
      // Threads are created by their column; only later ones begin somewhere in between.
      const bool is_creation = recording_.events[i].step.kind == OperationKind::create;
      const bool is_told = options_.full || !is_creation || options_.named.contains(i);
      if (!chosen.empty() || is_told) chosen.push_back(i);
    }
    return options_.full ? chosen : with_preemptions(chosen);
  }

 private:
  // Who writes before there is another thread shares nothing by that.
  void note_uses() {
    for (std::size_t i = 0; i < recording_.events.size; ++i) {
      const Step& step = recording_.events[i].step;
      if (step.kind != OperationKind::release) note_use(step, has_threads_ && i < first_creation_);
    }
    const RecordedOutcome& outcome = recording_.outcome;
    if (outcome.object != 0) always_.insert(outcome.object);
    for (const RecordedTask& task : recording_.tasks) {
      if (task.blocked) always_.insert(task.waiting.object);
    }
  }

  void note_use(const Step& step, bool is_of_the_start) {
    Use& use = uses_[step.object];
    if (use.task == no_task) use.task = step.task;
    use.by_others = use.by_others || use.task != step.task;
    use.written = use.written || (is_write(step) && !is_of_the_start);
  }

  void note_first_creation() {
    const auto first = std::find_if(
        recording_.events.begin(), recording_.events.end(),
        [](const RecordedEvent& event) { return event.step.kind == OperationKind::create; });
    has_threads_ = first != recording_.events.end();
    first_creation_ = static_cast<std::size_t>(first - recording_.events.begin());
  }

  bool is_chosen(std::size_t i) {
    const Step& step = recording_.events[i].step;
    if (step.kind == OperationKind::release) return options_.full || ends_the_memory(step);
    if (options_.named.contains(i)) return true;
    if (is_plain(step)) return is_shown_access(i);
    // Which waiter is woken is told by the signal itself.
    if (step.kind == OperationKind::signal && (step.flags & step_value) != 0) return false;
    if (options_.full) return true;
    return !is_unimportant(i) && !is_invisible(recording_.events[i]);
  }

  bool is_shown_access(std::size_t i) {
    const RecordedEvent& event = recording_.events[i];
    if (!is_shared(event.step.object) || names_.is_of_thread_start(event.step.object)) return false;
    if (options_.full) return true;
    return !is_of_library(event.step.object, i) && !is_unimportant(i) && !is_invisible(event);
  }

  bool is_shared(std::uint64_t address) const {
    const auto found = uses_.find(address);
    const bool is = found != uses_.end() && found->second.by_others && found->second.written;
    return is || address == recording_.outcome.object;
  }

  // What nobody but a person who asks for everything wants to see.
  bool is_unimportant(std::size_t i) {
    const Step& step = recording_.events[i].step;
    switch (step.kind) {
      case OperationKind::initialise:
      case OperationKind::start:
        return true;
      case OperationKind::end:
        return recording_.outcome.kind != OutcomeKind::leak;
      default:
        break;
    }
    const bool uses_memory = is_memory_access(step.kind);
    const Role role = info(step.kind).role;
    if (!uses_memory && role != Role::locks && role != Role::unlocks) return false;
    if (!has_threads_) return false;
    // How what the bug is about was made; freed memory may have been reused since.
    const bool is_made = uses_memory && i < first_creation_ &&
                         recording_.outcome.kind != OutcomeKind::use_after_free;
    if (always_.contains(step.object)) return is_made;
    const Use& use = uses_[step.object];
    if (i < first_creation_ || !use.by_others) return true;
    return uses_memory && (!use.written || unshown_names_.is_reference_count(step.object, i));
  }

  // Frees the block that the bug is about.
  bool ends_the_memory(const Step& step) const {
    const RecordedAllocation* block = names_.allocation(recording_.outcome.object);
    return block != nullptr && block->address == step.object;
  }

  // The pointer to the virtual functions, and what the library makes for itself.
  bool is_of_library(std::uint64_t address, std::size_t event) {
    if (address == recording_.outcome.object) return false;
    const std::string& name = unshown_names_.object(address, event).name;
    const bool is_reserved =
        name.size() > 1 && name[0] == '_' && std::isupper(static_cast<unsigned char>(name[1]));
    return is_reserved || name.find("._vptr.") != std::string::npos;
  }

  // What the C++ library or the unwinder does on its own account.
  bool is_invisible(const RecordedEvent& event) {
    switch (event.step.kind) {
      case OperationKind::start:
      case OperationKind::end:
      case OperationKind::create:
      case OperationKind::join:
      case OperationKind::exit:
      case OperationKind::deliver:
        return false;
      default:
        break;
    }
    // The runtime has objects that stand for files, and for requests to cancel a thread.
    const bool has_stand_in =
        is_file_call(event.step.kind) || event.step.kind == OperationKind::cancel;
    if (!has_stand_in && names_.is_library_data(event.step.object)) return true;
    const std::uint64_t key = std::uint64_t{event.stack.innermost} << 32U | event.stack.size;
    const auto [known, is_new] = invisible_stacks_.try_emplace(key, false);
    if (is_new) known->second = is_without_user(event.stack);
    return known->second;
  }

  bool is_without_user(const StackRef& stack) {
    const std::vector<Frame> frames = names_.frames(stack);
    return !frames.empty() && std::none_of(frames.begin(), frames.end(),
                                           [](const Frame& frame) { return frame.is_users; });
  }

  // A preemption is told by the next row of the one who goes on. If nothing else of what it does
  // then is shown, the step itself is.
  std::vector<std::size_t> with_preemptions(const std::vector<std::size_t>& chosen) const {
    std::vector<std::size_t> result;
    auto next = chosen.begin();
    for (std::size_t i = 0; i < recording_.events.size; ++i) {
      const bool is_next = next != chosen.end() && *next == i;
      if (is_next || (preempts(i) && !is_followed(i, next, chosen.end()))) result.push_back(i);
      if (is_next) ++next;
    }
    return result;
  }

  bool preempts(std::size_t i) const {
    return (recording_.events[i].step.flags & step_preempts) != 0;
  }

  // `next`: the first chosen event from there on.
  template <typename Iterator>
  bool is_followed(std::size_t i, Iterator next, Iterator end) const {
    const TaskId task = recording_.events[i].step.task;
    if (next == end) return false;
    for (std::size_t at = i; at <= *next; ++at) {
      if (recording_.events[at].step.task != task || (at > i && preempts(at))) return false;
    }
    return true;
  }

  Names& names_;
  Names unshown_names_;  // blocks are numbered when they are first named: only those that are shown
  const Recording& recording_;
  const StepOptions& options_;
  bool has_threads_ = false;
  std::size_t first_creation_ = 0;
  std::unordered_map<std::uint64_t, Use> uses_;
  std::unordered_set<std::uint64_t> always_;  // objects that the bug is about
  std::unordered_map<std::uint64_t, bool> invisible_stacks_;
};

}  // namespace

std::vector<std::size_t> choose_events(Names& names, const StepOptions& options) {
  return EventChooser(names, options).choose();
}

}  // namespace ricercar::inline report
