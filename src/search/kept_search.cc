// A search between two executions, written down so that it can go on in another process, maybe on
// another day: what the strategy and the world have learned, the figures, and what was found. What
// identifies the program and the options is the tool's business (cli/checkpoint.h).
//
// Addresses in the program are kept as they are: a program is loaded at the same place each time
// (supervisor/launch.cc), and a search that finds it elsewhere refuses to go on.

#include "base/error.h"
#include "base/kept.h"
#include "base/plain.h"
#include "base/search_heap.h"
#include "model/shared_array.h"
#include "search/control.h"
#include "search/search_loop.h"
#include "search/world.h"

namespace ricercar::inline search {
namespace {

template <typename T>
void pass(KeptOut& out, Array<T>& list) {
  out(list.size);
  out.pass(list.data, list.size * sizeof(T));
}
template <typename T>
void pass(KeptIn& in, Array<T>& list) {
  const SharedAllocation shared;
  in(list.size);
  list.data = search_allocate_array<T>(list.size);
  in.pass(list.data, list.size * sizeof(T));
}

template <typename Archive, std::size_t size>
void pass_text(Archive& archive, char (&text)[size]) {
  archive.pass(text, size);
}

// Of another day: time is counted by the tool.
template <typename Archive>
void pass_figures(Archive& archive, Control& control) {
  const double seconds = control.seconds;
  visit_fields<Explored>(control, [&](const auto&, auto& value) { archive(value); });
  visit_fields<SearchFigures>(control, [&](const auto&, auto& value) { archive(value); });
  control.seconds = seconds;
}

template <typename Archive>
void pass_bug(Archive& archive, FoundBug& bug) {
  visit_fields<ExecutionFacts>(bug, [&](const auto&, auto& value) { archive(value); });
  pass(archive, bug.decisions);
  pass(archive, bug.checks);
  pass(archive, bug.operations);
  pass(archive, bug.accesses);
  archive(plain(bug.outcome), bug.execution, bug.steps, bug.trace_hash, bug.is_rejected);
}

template <typename Archive>
void pass_ignored(Archive& archive, IgnoredFinding& finding) {
  archive(plain(finding.outcome), finding.execution, finding.times, finding.suppression);
}

template <typename Item>
std::uint64_t count(const Item* first) {
  std::uint64_t result = 0;
  for (; first != nullptr; first = first->next) ++result;
  return result;
}

// A list as the search keeps it, oldest first. Returns the last one.
template <typename Item, typename Pass>
Item* pass_list(KeptOut& out, Item*& first, Pass pass) {
  std::uint64_t size = count(first);
  out(size);
  Item* last = nullptr;
  for (Item* item = first; item != nullptr; item = item->next) pass(*(last = item));
  return last;
}
template <typename Item, typename Pass>
Item* pass_list(KeptIn& in, Item*& first, Pass pass) {
  const SharedAllocation shared;
  std::uint64_t size = 0;
  in(size);
  Item* last = nullptr;
  for (Item** end = &first; size != 0; --size, end = &last->next) {
    last = *end = search_allocate_array<Item>(1);
    *last = {};
    pass(*last);
  }
  return last;
}

template <typename Archive>
void pass_control(Archive& archive, Control& control) {
  pass_figures(archive, control);
  control.last_bug =
      pass_list(archive, control.first_bug, [&](FoundBug& bug) { pass_bug(archive, bug); });
  pass_list(archive, control.first_ignored,
            [&](IgnoredFinding& finding) { pass_ignored(archive, finding); });
  pass(archive, control.modules);
  pass_text(archive, control.note);
  pass_text(archive, control.late_libraries);
  pass_text(archive, control.not_modelled);
}

// What is read must be about the program where it is now.
void require_same_place(const Control& control, std::uint64_t runtime_address) {
  if (runtime_address == control.runtime_address) return;
  throw UsageError(
      "the search cannot go on: the program is not loaded where it was when the checkpoint was "
      "written; its libraries, the kernel or the limit of the stack (ulimit -s) have changed");
}

}  // namespace

std::string why_not_kept(const Control& control, const Strategy& strategy, const World& world) {
  const std::string name(control.request.strategy);
  if (!world.can_be_kept()) {
    return "a search of this world cannot be kept in a file yet: leave out --checkpoint";
  }
  if (strategy.as<CanBeKept>() != nullptr) return {};
  return "the strategy " + quoted(name) +
         " cannot be kept in a file yet: leave out --checkpoint, or choose another strategy "
         "(docs/guide/stop-and-go-on.md lists them)";
}

void keep_search(Control& control, SearchState& state, World& world) {
  KeptOut out;
  out(control.runtime_address);
  pass_control(out, control);
  out(state.has_ended, state.traces, state.sampled);
  state.strategy->as<CanBeKept>()->save(out);
  world.save(out);
  Keeping& keeping = control.keeping;
  if (keeping.kept.data != nullptr) search_release(keeping.kept.data);
  keeping.kept = to_shared(out.bytes());
  keeping.executions = control.executions;
  keeping.has_ended = state.has_ended;
  keeping.number.fetch_add(1);
}

void resume_search(Control& control, SearchState& state, World& world) {
  KeptIn in({control.keeping.resumed.data, control.keeping.resumed.size});
  std::uint64_t runtime_address = 0;
  in(runtime_address);
  require_same_place(control, runtime_address);
  pass_control(in, control);
  in(state.has_ended, state.traces, state.sampled);
  state.strategy->as<CanBeKept>()->load(in);
  world.load(in);
  if (!in.is_at_end()) throw UsageError("the checkpoint holds more than this search can have");
  search_release(std::exchange(control.keeping.resumed, {}).data);
}

}  // namespace ricercar::inline search
