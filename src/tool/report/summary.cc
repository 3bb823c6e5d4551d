#include "report/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/coverage_curve.h"
#include "report/json.h"
#include "report/style.h"

namespace ricercar::inline report {
namespace {

using Json = nlohmann::ordered_json;

bool has_depth(const RunSummary& summary) {
  return info(summary.world).step_limit == StepLimit::is_depth;
}

// What was cut at the limit of steps says nothing about what would have come.
std::string verdict_about_what_ended(const RunSummary& summary) {
  const std::string limit = counted(summary.options.max_steps, "step");
  if (has_depth(summary) && summary.truncated == summary.executions) {
    return fmt::format("no bug found in the first {} of each execution; none ended", limit);
  }
  if (nothing_ended(summary)) return fmt::format("no verdict: no execution ended within {}", limit);
  return fmt::format("no bug found in the {} that ended; {} cut at {}",
                     counted(summary.executions - summary.truncated, "execution"),
                     summary.truncated == 1 ? "1 was" : grouped(summary.truncated) + " were",
                     limit);
}

// What is ignored is not to be forgotten.
std::string no_bug(const RunSummary& summary) {
  if (summary.ignored.empty()) return "no bug found";
  return fmt::format("no bug found except {} left out", counted(summary.ignored.size(), "finding"));
}

std::string what_was_seen(const RunSummary& summary) {
  const bool is_instrumented = summary.uninstrumented.empty();
  if (!is_instrumented) return "the code that is instrumented";
  return "what is modelled of the program";
}

// Interleavings between other points than these would have to be looked at, too, unless a program
// has no data races. Whether it has some is not known if nobody looks.
std::string nothing_left(const RunSummary& summary) {
  std::string text = ", and nothing is left to explore";
  const bool has_threads = summary.world == WorldKind::threads && summary.most_tasks > 1;
  const Points points = summary.options.points;
  if (!has_threads || points >= Points::racy) return text;
  if (points == Points::sync) return text + " with points at synchronisation only";
  if (summary.options.races) return text;
  return text + " but data races, which were not looked for (--points racy)";
}

std::string verdict(const RunSummary& summary) {
  if (summary.bug_count > 0) return counted(summary.bug_count, "bug") + " found";
  if (!summary.unconfirmed.empty() && summary.error.empty()) {
    return "no reproducible bug found, but the program is not deterministic";
  }
  if (nothing_ended(summary)) return verdict_about_what_ended(summary);
  if (!summary.error.empty()) return "the search could not be finished";
  const std::string end = summary.interrupted ? " before the interruption" : "";
  if (summary.truncated > 0) return verdict_about_what_ended(summary) + end;
  const std::string found = no_bug(summary) + end;
  if (!end.empty()) return found;
  if (summary.is_partly_blind) return found + " in " + what_was_seen(summary);
  return summary.complete ? found + nothing_left(summary) : found;
}

std::string rate(const RunSummary& summary) {
  // A rate from a handful of executions is noise.
  if (summary.seconds < 0.001 || summary.executions < 100) return {};
  return fmt::format(" ({} executions/s)",
                     grouped(static_cast<std::uint64_t>(static_cast<double>(summary.executions) /
                                                        summary.seconds)));
}

void add_row(std::string& text, const char* name, const std::string& value) {
  if (!value.empty()) text += fmt::format("  {:<11} {}\n", name, value);
}

std::string bug_row(const BugSummary& bug) {
  const std::string place = fmt::format("execution {}", grouped(bug.execution));
  const std::string file = bug.schedule.empty() ? "not saved" : bug.schedule;
  return fmt::format("{} at {}: {}", bug.kind, place, file);
}

// Which bug, if there are several.
std::string minimised_row(const RunSummary& summary, const BugSummary& bug) {
  const std::optional<ShorterExecution>& shorter = bug.details.minimised;
  if (!shorter) return {};
  const std::string change = change_of_size(shorter->before, shorter->after);
  if (change.empty()) return {};
  const std::string file = bug.schedule.substr(bug.schedule.rfind('/') + 1);
  return fmt::format("{}from {}; {} in {:.1f} s",
                     summary.bugs.size() > 1 ? file + ": " : std::string(), change,
                     counted(shorter->executions, "execution"), bug.minimised_seconds);
}

std::string unconfirmed_row(const BugSummary& bug) {
  const std::string file = bug.schedule.empty() ? "not saved" : bug.schedule;
  return fmt::format("{} at execution {} is not counted as a bug: {} ({})", bug.kind,
                     grouped(bug.execution), bug.doubt, file);
}

std::string truncation(const RunSummary& summary) {
  if (summary.truncated == 0) return {};
  return fmt::format("{} cut at {} steps (--steps N allows more)",
                     counted(summary.truncated, "execution"), grouped(summary.options.max_steps));
}

std::string percent(double part) {
  return part < 0.001 ? fmt::format("{:.1g} %", 100 * part) : fmt::format("{:.1f} %", 100 * part);
}

// When a person has seen enough.
std::string traces_row(const RunSummary& summary) {
  const std::uint64_t draws = summary.sampled_traces;
  if (draws < 2) return {};
  const double chance = std::max(summary.chance_of_new_trace, 1 / static_cast<double>(draws));
  const std::string all = draws == summary.executions
                              ? grouped(draws) + " executions"
                              : fmt::format("the {} executions that were compared", grouped(draws));
  return fmt::format("{} different ones in {}; {} {} of the next executions show a new one",
                     grouped(summary.distinct_traces), all,
                     summary.chance_of_new_trace > 0 ? "about" : "fewer than", percent(chance));
}

// A search that samples has other figures than one that covers everything.
std::string strata_table(const std::vector<Stratum>& strata) {
  const bool sampled = strata.front().samples != 0;
  const bool delayed = strata.front().unit == Stratum::Unit::delays;
  std::string text = fmt::format("  {:<11} {:>11}", "strata", name_of(strata.front().unit));
  text += sampled ? fmt::format(" {:>11}", "samples")
                  : fmt::format(" {:>11} {:>11} {:>11}", "states", "new", "frontier");
  if (sampled && delayed) text += fmt::format(" {:>11} {:>11}", "positions", "missed");
  text += fmt::format(" {:>11}\n", "seconds");
  for (const Stratum& stratum : strata) {
    text += fmt::format("  {:<11} {:>11}", "", grouped(stratum.cost));
    text += sampled ? fmt::format(" {:>11}", grouped(stratum.samples))
                    : fmt::format(" {:>11} {:>11} {:>11}", grouped(stratum.states),
                                  grouped(stratum.new_states), grouped(stratum.frontier));
    if (sampled && delayed) {
      text += fmt::format(" {:>11} {:>11.3g}", grouped(stratum.positions), stratum.missed);
    }
    text += fmt::format(" {:>11.2f}\n", stratum.seconds);
  }
  return text;
}

std::string strata_tables(const std::vector<Stratum>& strata) {
  std::vector<Stratum> covered;
  std::vector<Stratum> sampled;
  for (const Stratum& stratum : strata) {
    (stratum.samples != 0 ? sampled : covered).push_back(stratum);
  }
  std::string text;
  if (!covered.empty()) text += strata_table(covered);
  if (!sampled.empty()) text += strata_table(sampled);
  return text;
}

Json stratum_json(const Stratum& stratum) {
  Json json;
  json[name_of(stratum.unit)] = stratum.cost;
  json["states"] = stratum.states;
  json["new_states"] = stratum.new_states;
  json["frontier"] = stratum.frontier;
  json["samples"] = stratum.samples;
  json["positions"] = stratum.positions;
  json["missed"] = stratum.missed;
  json["seconds"] = stratum.seconds;
  return json;
}

std::string learned_row(const LearnedSummary& learned) {
  return fmt::format("{}, {}; {}", counted(learned.figures.statements, "statement"),
                     pairs_sentence(learned.figures), convergence_sentence(learned.figures));
}

Json learned_json(const LearnedSummary& learned) {
  Json json;
  json["statements"] = learned.figures.statements;
  json["pairs"] = learned.figures.seen;
  json["possible"] = learned.figures.possible;
  json["added"] = learned.added;
  return json;
}

template <typename Figures>
void add_figures(Json& json, const RunSummary& summary) {
  visit_fields<Figures>(summary, [&](const auto& field, const auto& value) {
    const bool is_left_out = field.shown == Shown::unless_zero && value == 0;
    if (field.shown != Shown::elsewhere && !is_left_out) json[field.name] = value;
  });
}

Json code_json(const UninstrumentedCode& code) {
  Json json;
  json["file"] = code.file;
  json["module"] = code.module;
  json["problem"] = code.problem;
  if (!code.assembly.empty()) json["assembly"] = code.assembly;
  return json;
}

Json place_json(const PlaceSummary& place) {
  Json json;
  json["role"] = place.role;
  json["thread"] = place.thread;
  json["function"] = place.function;
  json["file"] = place.file;
  json["line"] = place.line;
  return json;
}

Json bug_json(const BugSummary& bug) {
  Json json;
  json["kind"] = bug.kind;
  json["message"] = bug.message;
  json["execution"] = bug.execution;
  json["schedule"] = bug.schedule;
  json["report"] = bug.report;
  json["steps"] = bug.steps;
  json["confirmed"] = bug.confirmed;
  json["places"] = Json::array();
  for (const PlaceSummary& place : bug.places) json["places"].push_back(place_json(place));
  json["details"] = json_of(bug.details);
  return json;
}

std::string ignored_row(const IgnoredSummary& finding) {
  const std::string where = finding.places.empty() ? finding.message : enumerated(finding.places);
  return fmt::format("{}, {}: {}", finding.kind, counted(finding.times, "time"), where);
}

// A few are named; all of them are in the JSON. What is suppressed is told line by line.
std::string ignored_rows(const std::vector<IgnoredSummary>& findings) {
  constexpr std::size_t most_named = 10;
  std::string text;
  std::size_t named = 0;
  std::size_t more = 0;
  for (const IgnoredSummary& finding : findings) {
    if (!finding.suppression.empty()) continue;
    if (named < most_named) add_row(text, "ignored", ignored_row(finding));
    ++(named < most_named ? named : more);
  }
  if (more > 0) add_row(text, "ignored", fmt::format("{} more", grouped(more)));
  return text;
}

std::string suppression_row(const SuppressionSummary& each) {
  if (each.findings == 0) {
    return fmt::format("{} (line {}) matched nothing", each.text, each.line);
  }
  return fmt::format("{} (line {}): {}, met {}", each.text, each.line,
                     counted(each.findings, "finding"), counted(each.times, "time"));
}

Json suppression_json(const SuppressionSummary& each) {
  Json json;
  json["text"] = each.text;
  json["line"] = each.line;
  json["findings"] = each.findings;
  json["times"] = each.times;
  return json;
}

Json ignored_json(const IgnoredSummary& finding) {
  Json json;
  json["kind"] = finding.kind;
  json["message"] = finding.message;
  json["places"] = finding.places;
  json["execution"] = finding.execution;
  json["times"] = finding.times;
  json["suppression"] = finding.suppression;
  return json;
}

constexpr const char* corpus_results[] = {"shown", "fixed", "changed", "unreadable"};

Json corpus_json(const std::vector<CorpusEntry>& corpus) {
  Json list = Json::array();
  for (const CorpusEntry& entry : corpus) {
    list.push_back({{"file", entry.file},
                    {"kind", entry.kind},
                    {"result", corpus_results[entry.result]},
                    {"reason", entry.reason}});
  }
  return list;
}

void add_corpus_rows(std::string& text, const std::vector<CorpusEntry>& corpus) {
  for (const CorpusEntry& entry : corpus) {
    add_row(text, "corpus", fmt::format("{}: {}", entry.file, entry.reason));
  }
  if (corpus.empty()) add_row(text, "corpus", "nothing of this program is in it yet");
}

}  // namespace

LearnedSummary learned_summary(const CoverageSets& sets) {
  LearnedSummary learned{figures_of(sets), sets.added};
  sum_neighbours(learned.added, stored_curve_limit);
  return learned;
}

bool nothing_ended(const RunSummary& summary) {
  return !has_depth(summary) && summary.bug_count == 0 && summary.executions > 0 &&
         summary.truncated == summary.executions;
}

std::string summary_text(const RunSummary& summary) {
  std::string text = fmt::format("ricercar: {}\n", verdict(summary));
  add_row(text, "explored",
          fmt::format("{}, {} in {:.2f} s{}", counted(summary.executions, "execution"),
                      counted(summary.steps, "step"), summary.seconds, rate(summary)));
  add_row(text, "strategy",
          fmt::format("{}, seed {}", summary.options.strategy, summary.options.seed));
  add_row(text, "coverage", summary.coverage);
  add_row(text, "traces", traces_row(summary));
  if (summary.learned) add_row(text, "pairs", learned_row(*summary.learned));
  text += strata_tables(summary.strata);
  add_row(text, "note", truncation(summary));
  for (const std::string& note : summary.notes) add_row(text, "note", note);
  for (const std::string& what : summary.not_modelled) {
    add_row(text, "unseen", "the program " + what);
  }
  if (summary.corpus) add_corpus_rows(text, *summary.corpus);
  for (const BugSummary& bug : summary.bugs) add_row(text, "bug", bug_row(bug));
  for (const BugSummary& bug : summary.bugs)
    add_row(text, "minimised", minimised_row(summary, bug));
  if (summary.bug_count > summary.bugs.size()) {
    add_row(text, "bug",
            fmt::format("{} more, not saved", grouped(summary.bug_count - summary.bugs.size())));
  }
  for (const BugSummary& bug : summary.unconfirmed) add_row(text, "unsure", unconfirmed_row(bug));
  text += ignored_rows(summary.ignored);
  for (const SuppressionSummary& each : summary.suppressions) {
    add_row(text, "suppressed", suppression_row(each));
  }
  add_row(text, "error", summary.error);
  return text;
}

std::string summary_json(const RunSummary& summary) {
  Json json;
  json["schema"] = "ricercar.run/1";
  json["program"] = summary.program;
  json["arguments"] = summary.arguments;
  json["strategy"] = std::string_view(summary.options.strategy);
  json["seed"] = summary.options.seed;
  add_figures<Explored>(json, summary);
  json["interrupted"] = summary.interrupted;
  json["coverage"] = summary.coverage;
  add_figures<SearchFigures>(json, summary);
  json["notes"] = summary.notes;
  json["error"] = summary.error;
  json["bug_count"] = summary.bug_count;
  json["uninstrumented"] = Json::array();
  for (const UninstrumentedCode& code : summary.uninstrumented) {
    json["uninstrumented"].push_back(code_json(code));
  }
  json["not_modelled"] = summary.not_modelled;
  json["strata"] = Json::array();
  for (const Stratum& stratum : summary.strata) json["strata"].push_back(stratum_json(stratum));
  if (summary.learned) json["hapset"] = learned_json(*summary.learned);
  if (summary.corpus) json["corpus"] = corpus_json(*summary.corpus);
  json["bugs"] = Json::array();
  for (const BugSummary& bug : summary.bugs) json["bugs"].push_back(bug_json(bug));
  json["unconfirmed"] = Json::array();
  for (const BugSummary& bug : summary.unconfirmed) {
    json["unconfirmed"].push_back(bug_json(bug));
    json["unconfirmed"].back()["reason"] = bug.doubt;
  }
  json["ignored"] = Json::array();
  for (const IgnoredSummary& finding : summary.ignored) {
    json["ignored"].push_back(ignored_json(finding));
  }
  json["suppressions"] = Json::array();
  for (const SuppressionSummary& each : summary.suppressions) {
    json["suppressions"].push_back(suppression_json(each));
  }
  return json_text(json);
}

}  // namespace ricercar::inline report
