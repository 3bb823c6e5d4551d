#include "search/piece_result.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/bytes.h"
#include "base/search_heap.h"
#include "base/text.h"
#include "model/shared_array.h"
#include "search/found_bugs.h"

namespace ricercar::inline search {
namespace {

template <typename T>
void write_list(ByteWriter& writer, const std::vector<T>& values) {
  writer.list(std::span<const T>(values));
}

void write(ByteWriter& writer, const PieceBug& bug) {
  writer.plain(static_cast<const ExecutionFacts&>(bug));
  write_list(writer, bug.decisions);
  write_list(writer, bug.checks);
  write_list(writer, bug.operations);
  write_list(writer, bug.accesses);
  writer.plain(bug.outcome);
  writer.number(bug.execution);
  writer.number(bug.steps);
  writer.plain(bug.trace_hash);
}

PieceBug read_bug(ByteReader& reader) {
  PieceBug bug;
  static_cast<ExecutionFacts&>(bug) = reader.plain<ExecutionFacts>();
  bug.decisions = reader.list<std::uint16_t>();
  bug.checks = reader.list<std::uint8_t>();
  bug.operations = reader.list<TaskOperation>();
  bug.accesses = reader.list<std::uint32_t>();
  bug.outcome = reader.plain<RecordedOutcome>();
  bug.execution = reader.number();
  bug.steps = reader.number();
  bug.trace_hash = reader.plain<std::uint64_t>();
  return bug;
}

void write(ByteWriter& writer, const PieceTexts& texts) {
  writer.text(texts.error);
  writer.text(texts.note);
  writer.text(texts.not_modelled);
  writer.text(texts.late_libraries);
}

PieceTexts read_texts(ByteReader& reader) {
  PieceTexts texts;
  for (std::string* text :
       {&texts.error, &texts.note, &texts.not_modelled, &texts.late_libraries}) {
    *text = reader.text();
  }
  return texts;
}

void add_bug(Control& whole, const PieceBug& bug, std::uint64_t executions_before) {
  FoundBug found;
  found.assign(bug, [](const auto& list) { return to_shared(list); });
  found.outcome = bug.outcome;
  found.execution = executions_before + bug.execution;
  found.steps = bug.steps;
  found.trace_hash = bug.trace_hash;
  append_found_bug(whole, found);
}

void add_ignored_of(Control& whole, const PieceIgnored& ignored, std::uint64_t executions_before) {
  IgnoredFinding** end = &whole.first_ignored;
  for (; *end != nullptr; end = &(*end)->next) {
    const bool is_it = (*end)->suppression == ignored.suppression &&
                       is_same_finding((*end)->outcome, ignored.outcome);
    if (!is_it) continue;
    (*end)->times += ignored.times;
    return;
  }
  const SharedAllocation shared;
  auto* finding = search_allocate_array<IgnoredFinding>(1);
  *finding = {nullptr, ignored.outcome, executions_before + ignored.execution, ignored.times,
              ignored.suppression};
  *end = finding;
}

// A line each.
template <std::size_t size>
void add_lines(char (&lines)[size], const std::string& more) {
  std::string all = lines;
  for (std::size_t at = 0, end; (end = more.find('\n', at)) != std::string::npos; at = end + 1) {
    const std::string line = more.substr(at, end - at + 1);
    if (all.find(line) == std::string::npos) all += line;
  }
  if (all.size() < size) copy_text(lines, all);
}

// Every process notes what it sees, in the order in which it sees it.
void add_note_of(Control& whole, const std::string& note) {
  const std::string before = whole.note;
  if (note.empty() || before.find(note) != std::string::npos) return;
  const bool is_more = before.empty() || note.starts_with(before);
  copy_text(whole.note, is_more ? note : before + "; " + note);
}

// A property was never judged if no part of the search has judged it.
void add_facts(ClusterFacts& whole, const ClusterFacts& facts) {
  if (!facts.is_known) return;
  if (!std::exchange(whole.is_known, true)) {
    whole = facts;
    return;
  }
  whole.has_threads = whole.has_threads || facts.has_threads;
  whole.was_fair = whole.was_fair || facts.was_fair;
  whole.was_unready = whole.was_unready || facts.was_unready;
  whole.meets |= facts.meets;
  const std::vector<std::string> here = lines_of(facts.unjudged);
  std::string in_both;
  for (const std::string& line : lines_of(whole.unjudged)) {
    if (std::find(here.begin(), here.end(), line) != here.end()) in_both += line + "\n";
  }
  copy_text(whole.unjudged, in_both);
}

// It has shown nothing but figures.
bool is_plain_run(const PieceResult& run) {
  const PieceTexts& texts = run.texts;
  const bool has_texts = !texts.error.empty() || !texts.note.empty() ||
                         !texts.not_modelled.empty() || !texts.late_libraries.empty();
  return run.figures.executions == 1 && run.figures.lost == 0 && run.bugs.empty() &&
         run.ignored.empty() && !has_texts && !run.has_failed && !run.found_end && !run.knowledge &&
         run.sampled.size() < 2;
}

void write_plain_run(ByteWriter& writer, const PieceResult& run) {
  const SearchFigures& figures = run.figures;
  writer.number((figures.forks ? 1U : 0U) + (figures.unfollowed_races ? 2U : 0U) +
                (figures.truncated != 0 ? 4U : 0U) + (run.sampled.empty() ? 0U : 8U));
  for (const std::uint64_t number :
       {figures.steps, figures.transitions, std::uint64_t{figures.most_tasks}, figures.most_steps})
    writer.number(number);
  if (!run.sampled.empty()) writer.plain(run.sampled.front());
}

PieceResult read_plain_run(ByteReader& reader) {
  PieceResult run;
  SearchFigures& figures = run.figures;
  const std::uint64_t flags = reader.number();
  figures.executions = 1;
  figures.forks = (flags & 1) != 0;
  figures.unfollowed_races = (flags & 2) != 0;
  figures.truncated = (flags & 4) != 0 ? 1 : 0;
  figures.steps = reader.number();
  figures.transitions = reader.number();
  figures.most_tasks = static_cast<std::uint32_t>(reader.number());
  figures.most_steps = reader.number();
  if ((flags & 8) != 0) run.sampled.push_back(reader.plain<std::uint64_t>());
  return run;
}

void add_figures(Control& whole, const SearchFigures& figures) {
  whole.executions += figures.executions;
  whole.steps += figures.steps;
  whole.transitions += figures.transitions;
  whole.truncated += figures.truncated;
  whole.lost += figures.lost;
  whole.forks = whole.forks || figures.forks;
  whole.most_tasks = std::max(whole.most_tasks, figures.most_tasks);
  whole.most_steps = std::max(whole.most_steps, figures.most_steps);
  whole.unfollowed_races = whole.unfollowed_races || figures.unfollowed_races;
}

}  // namespace

std::string to_bytes(const PieceResult& result) {
  ByteWriter writer;
  writer.text(result.end.shown);
  writer.number(result.end.rest.size());
  for (const std::string& piece : result.end.rest) writer.text(piece);
  writer.plain(result.end.is_done);
  writer.plain(result.figures);
  writer.plain(result.was_cut);
  writer.plain(result.has_failed);
  writer.plain(result.found_end);
  writer.plain(result.knowledge.has_value());
  if (result.knowledge) writer.text(*result.knowledge);
  writer.number(result.bugs.size());
  for (const PieceBug& bug : result.bugs) write(writer, bug);
  write_list(writer, result.ignored);
  write_list(writer, result.modules);
  write(writer, result.texts);
  writer.plain(result.cluster);
  writer.plain(result.runtime_address);
  writer.plain(result.traces.has_value());
  if (result.traces) writer.plain(*result.traces);
  write_list(writer, result.sampled);
  for (const std::vector<std::string>* texts : {&result.end.runs, &result.runs}) {
    writer.number(texts->size());
    for (const std::string& text : *texts) writer.text(text);
  }
  return writer.take();
}

PieceResult piece_result_from(std::string_view bytes) {
  ByteReader reader(bytes);
  PieceResult result;
  result.end.shown = reader.text();
  result.end.rest.resize(reader.number());
  for (std::string& piece : result.end.rest) piece = reader.text();
  result.end.is_done = reader.plain<bool>();
  result.figures = reader.plain<SearchFigures>();
  result.was_cut = reader.plain<bool>();
  result.has_failed = reader.plain<bool>();
  result.found_end = reader.plain<bool>();
  if (reader.plain<bool>()) result.knowledge = reader.text();
  for (std::uint64_t left = reader.number(); left > 0; --left)
    result.bugs.push_back(read_bug(reader));
  result.ignored = reader.list<PieceIgnored>();
  result.modules = reader.list<RecordedModule>();
  result.texts = read_texts(reader);
  result.cluster = reader.plain<ClusterFacts>();
  result.runtime_address = reader.plain<std::uint64_t>();
  if (reader.plain<bool>()) result.traces = reader.plain<DistinctCounter>();
  result.sampled = reader.list<std::uint64_t>();
  for (std::vector<std::string>* texts : {&result.end.runs, &result.runs}) {
    texts->resize(reader.number());
    for (std::string& text : *texts) text = reader.text();
  }
  RICERCAR_CHECK(reader.at_end());
  return result;
}

std::string to_bytes(const RunResult& run) {
  ByteWriter writer;
  const bool is_plain = is_plain_run(run.result);
  writer.number((is_plain ? 1U : 0U) + (run.is_renewed ? 2U : 0U));
  run.circles.write(writer);
  if (is_plain) {
    write_plain_run(writer, run.result);
  } else {
    writer.text(to_bytes(run.result));
  }
  return writer.take();
}

RunResult run_result_from(std::string_view bytes) {
  ByteReader reader(bytes);
  RunResult run;
  const std::uint64_t kind = reader.number();
  run.is_renewed = (kind & 2) != 0;
  run.circles.read(reader);
  run.result = (kind & 1) != 0 ? read_plain_run(reader) : piece_result_from(reader.text());
  return run;
}

PieceResult piece_result_of(const Control& control, const SearchFigures& before) {
  PieceResult result;
  result.figures = control;
  result.figures.executions -= before.executions;
  result.figures.steps -= before.steps;
  result.figures.transitions -= before.transitions;
  result.figures.truncated -= before.truncated;
  result.figures.lost -= before.lost;
  for (const FoundBug* bug = control.first_bug; bug != nullptr; bug = bug->next) {
    PieceBug& copy = result.bugs.emplace_back();
    copy.assign(*bug, [](const auto& list) { return std::vector(list.begin(), list.end()); });
    copy.outcome = bug->outcome;
    copy.execution = bug->execution - before.executions;
    copy.steps = bug->steps;
    copy.trace_hash = bug->trace_hash;
  }
  for (const IgnoredFinding* each = control.first_ignored; each != nullptr; each = each->next) {
    result.ignored.push_back(
        {each->outcome, each->execution - before.executions, each->times, each->suppression});
  }
  result.modules.assign(control.modules.begin(), control.modules.end());
  result.texts = {control.error, control.note, control.not_modelled, control.late_libraries};
  result.cluster = control.cluster;
  result.runtime_address = control.runtime_address;
  return result;
}

void merge_piece(Control& whole, const PieceResult& result) {
  for (const PieceBug& bug : result.bugs) {
    if (!is_known_bug(whole, bug.outcome)) add_bug(whole, bug, whole.executions);
  }
  for (const PieceIgnored& each : result.ignored) add_ignored_of(whole, each, whole.executions);
  if (whole.modules.size == 0 && !result.modules.empty()) whole.modules = to_shared(result.modules);
  add_figures(whole, result.figures);
  if (result.has_failed) copy_text(whole.error, result.texts.error);
  add_note_of(whole, result.texts.note);
  add_facts(whole.cluster, result.cluster);
  add_lines(whole.not_modelled, result.texts.not_modelled);
  add_lines(whole.late_libraries, result.texts.late_libraries);
}

}  // namespace ricercar::inline search
