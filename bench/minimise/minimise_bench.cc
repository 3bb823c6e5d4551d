// How short minimised executions are: against those that `pb` finds, which tries the executions
// with the fewest preemptions first. In every program with a bug that needs no options.
//
//   minimise_bench TOOL tests/programs SUITES PROGRAMS FOLDER BENCHMARKS.md [ROWS]
//
// PROGRAMS is where the suites were built. What it makes goes to FOLDER; so do the searches, in
// searches.jsonl, and a search that is there is not made again. With ROWS only programs whose name
// begins so are searched, and the document stays as it is. `known` makes no search: the document
// gets the programs of which all is there, and says how many are missing.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/measure.h"
#include "suites/bug_subjects.h"
#include "support/process.h"

namespace {

namespace fs = std::filesystem;
using namespace ricercar::bench;
using ricercar::test::Command;
using ricercar::test::Finished;
using Json = nlohmann::json;

constexpr double longest_search = 20;     // processor seconds, until the bug is found
constexpr double longest_reference = 10;  // until `pb` has found it
constexpr double most_seconds = 10;       // the bar for one minimisation
constexpr double bar = 0.9;
constexpr std::uint64_t listed_preemptions = 4;
constexpr int exit_bug = 1;

// Of threads that go round for ever the function is known, not where in the round they were cut.
std::string line_of(const Json& place, const std::string& kind) {
  const bool goes_round = kind == "livelock" && place.value("role", "") == "spins";
  return goes_round ? "" : ":" + std::to_string(place.value("line", 0));
}

// What makes two failures the same one: kind and places, and the message where places do not say
// all, without addresses, numbers of threads, and how long a round is.
std::string identity_of(const Json& bug) {
  const std::string kind = bug["kind"];
  std::vector<std::string> places;
  for (const Json& place : bug["places"]) {
    // Who came first in a race is up to the execution.
    const std::string role = kind == "data-race" ? "" : place.value("role", "");
    places.push_back(role + " " + place.value("function", "") + " " + place.value("file", "") +
                     line_of(place, kind));
  }
  std::sort(places.begin(), places.end());
  std::string identity = kind;
  for (const std::string& place : places) identity += "\n" + place;
  const bool is_told = (kind == "deadlock" || kind == "data-race") && !places.empty();
  static const std::regex numbers(R"(\b0x[0-9a-f]+|\bT[0-9]+\b|\b[0-9]+ steps repeat\b)");
  if (!is_told)
    identity += "\n" + std::regex_replace(bug["message"].get<std::string>(), numbers, "");
  return identity;
}

// A search that is not to be made.
struct NotKnown {};

// The searches that were made before.
class Searches {
 public:
  Searches(const fs::path& file, bool makes_others) : makes_others_(makes_others) {
    std::ifstream before(file);
    for (std::string line; std::getline(before, line);) {
      Json search = Json::parse(line);
      known_[search["search"]] = std::move(search["result"]);
    }
    file_.open(file, std::ios::app);
  }

  Json get(const std::string& search, const std::function<Json()>& make) {
    const auto found = known_.find(search);
    if (found != known_.end()) return found->second;
    if (!makes_others_) throw NotKnown();
    Json result = make();
    file_ << Json{{"search", search}, {"result", result}}.dump() << std::endl;
    return result;
  }

 private:
  const bool makes_others_;
  std::map<std::string, Json> known_;
  std::ofstream file_;
};

// What is known of one program.
struct Row {
  std::string name;
  std::string kind;  // empty: no bug was found
  std::uint64_t before = 0;
  std::uint64_t after = 0;
  std::uint64_t executions = 0;
  double seconds = 0;
  std::optional<std::uint64_t> reference;  // the preemptions that `pb` needs

  bool is_found() const { return !kind.empty(); }
  bool is_met() const { return reference && after <= *reference && seconds <= most_seconds; }
  std::string suite() const { return name.substr(0, name.find('/')); }
};

class Benchmark {
 public:
  Benchmark(std::string tool, const fs::path& folder, bool makes_searches)
      : tool_(std::move(tool)),
        folder_(folder / "work"),
        searches_(folder / "searches.jsonl", makes_searches) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }

  Row measure(const BugSubject& subject) {
    has_program_ = false;
    const auto search = [&](const std::string& what, const std::vector<std::string>& options,
                            double seconds) {
      return searches_.get(subject.name + ", " + what,
                           [&] { return run(subject, options, seconds); });
    };
    Row row;
    row.name = subject.name;
    const Json found = search("found", {"--no-minimise"}, longest_search);
    if (found["bugs"].empty()) return row;
    const Json minimised = search("minimised", {}, 2 * longest_search);
    const Json& bug = minimised["bugs"].at(0);
    row.kind = bug["kind"];
    row.before = size_as_found(found["bugs"][0], bug);
    row.after = bug["preemptions"];
    row.executions = bug["tried"];
    row.seconds = std::max(0.0, minimised["processor_seconds"].get<double>() -
                                    found["processor_seconds"].get<double>());
    if (bug["identity"] != found["bugs"][0]["identity"]) {
      throw std::runtime_error(subject.name + ": minimising has made another failure of it");
    }
    row.reference = reference_of(bug, row.before, has_preemptions(found["bugs"][0]), search);
    return row;
  }

 private:
  // Reports of machines and nodes have the preemptions of what was minimised only, with those that
  // there were before.
  static bool has_preemptions(const Json& bug) { return bug["preemptions"].is_number(); }
  static std::uint64_t size_as_found(const Json& found, const Json& minimised) {
    return has_preemptions(found) ? found["preemptions"] : minimised["before"];
  }

  template <typename Search>
  static std::optional<std::uint64_t> reference_of(const Json& bug, std::uint64_t before,
                                                   bool are_told, Search search) {
    const std::string strategy = "pb:bound=" + std::to_string(before);
    std::vector<std::string> options = {"--strategy", strategy, "--fail-on", bug["kind"]};
    if (are_told) options.emplace_back("--no-minimise");
    Json result = search("pb", options, longest_reference);
    if (!result["bugs"].empty() && result["bugs"][0]["identity"] != bug["identity"]) {
      options.emplace_back("--keep-going");
      result = search("pb, all", options, longest_reference);
    }
    for (const Json& each : result["bugs"]) {
      if (each["identity"] == bug["identity"])
        return each[are_told ? "preemptions" : "before"].get<std::uint64_t>();
    }
    return std::nullopt;
  }

  Finished tool(std::vector<std::string> words, std::optional<double> seconds) const {
    words.insert(words.begin(), tool_);
    Command command{.words = std::move(words), .folder = folder_};
    command.processor_seconds = seconds;
    command.timeout_seconds = 100 * seconds.value_or(0) + 600;  // however busy the machine is
    return ricercar::test::run(command);
  }

  // Bugs with what is asked of them below.
  Json run(const BugSubject& subject, const std::vector<std::string>& options, double seconds) {
    std::string program = subject.program;
    if (program.empty()) {
      if (!has_program_) compile(subject.source);
      program = "./program";
    }
    std::vector<std::string> words = {"run",     "--quiet", "--json",      "summary.json",
                                      "--cores", "1",       "--past-race", "0"};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {subject.is_cluster ? "--nodes" : "--", program});
    words.insert(words.end(), subject.arguments.begin(), subject.arguments.end());
    fs::remove(folder_ / "summary.json");
    const Finished finished = tool(words, seconds);
    Json result{{"processor_seconds", finished.processor_seconds}, {"bugs", Json::array()}};
    if (!fs::exists(folder_ / "summary.json")) {
      throw std::runtime_error(subject.name + ": " + finished.output + finished.error);
    }
    std::ifstream file(folder_ / "summary.json");
    const Json summary = Json::parse(file);
    result["complete"] = summary["complete"];
    result["executions"] = summary["executions"];
    for (const Json& bug : summary["bugs"]) result["bugs"].push_back(result_of(bug));
    return result;
  }

  static Json result_of(const Json& bug) {
    const Json& details = bug["details"];
    Json result{{"kind", bug["kind"]},
                {"identity", identity_of(bug)},
                {"preemptions", details.value("preemptions", Json())},
                {"execution", bug["execution"]},
                {"tried", 0}};
    if (!details.contains("minimised")) return result;
    const Json& minimised = details["minimised"];
    result["tried"] = minimised["executions"];
    result["before"] = minimised["before"]["preemptions"];
    if (result["preemptions"].is_null()) result["preemptions"] = minimised["after"]["preemptions"];
    return result;
  }

  void compile(const fs::path& source) {
    const Finished finished = tool(compilation_of(source, "program"), std::nullopt);
    if (finished.status != 0) throw std::runtime_error(source.string() + ": " + finished.error);
    has_program_ = true;
  }

  std::string tool_;
  fs::path folder_;
  Searches searches_;
  bool has_program_ = false;  // of this subject
};

std::string as_text(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", number);
  return text;
}

std::string cells_of(const Row& row) {
  const std::string reference = row.reference ? std::to_string(*row.reference) : "-";
  return row.name + " | " + row.kind + " | " + std::to_string(row.before) + " | " +
         std::to_string(row.after) + " | " + reference + " | " + std::to_string(row.executions) +
         " | " + as_text(row.seconds);
}

void print(const Row& row) {
  const bool is_missed = row.reference && !row.is_met();
  std::printf("%s%s\n", cells_of(row).c_str(), is_missed ? "  <- missed" : "");
  std::fflush(stdout);
}

// What the rows of a suite come to.
struct Totals {
  std::size_t programs = 0, found = 0, compared = 0, met = 0, preempted = 0, preempted_met = 0;
  std::uint64_t before = 0, after = 0;
  double longest = 0;

  void add(const Row& row) {
    ++programs;
    if (!row.is_found()) return;
    ++found;
    before += row.before;
    after += row.after;
    longest = std::max(longest, row.seconds);
    if (!row.reference) return;
    ++compared;
    met += row.is_met() ? 1 : 0;
    if (row.before == 0) return;
    ++preempted;
    preempted_met += row.is_met() ? 1 : 0;
  }
  std::string text(const std::string& name) const {
    return "| " + name + " | " + std::to_string(programs) + " | " + std::to_string(found) + " | " +
           std::to_string(compared) + " | " + std::to_string(met) + " | " +
           std::to_string(preempted_met) + " of " + std::to_string(preempted) + " | " +
           std::to_string(before) + " → " + std::to_string(after) + " | " + as_text(longest) +
           " |\n";
  }
};

std::string summary_table(const std::vector<Row>& rows, bool are_all) {
  std::string text =
      "| programs | all | found | `pb` finds the same failure | minimised to as few | of those "
      "that "
      "had preemptions | preemptions of all that were found | longest, s |\n"
      "|---|---|---|---|---|---|---|---|\n";
  Totals all, suite;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    suite.add(rows[i]);
    all.add(rows[i]);
    if (i + 1 < rows.size() && rows[i + 1].suite() == rows[i].suite()) continue;
    text += suite.text(rows[i].suite());
    suite = {};
  }
  text += all.text("**all**");
  const double share = static_cast<double>(all.met) / static_cast<double>(all.compared);
  const std::string verdict = !are_all       ? "open until the others are measured"
                              : share >= bar ? "met"
                                             : "**missed**";
  return text + "\n" + std::to_string(all.met) + " of " + std::to_string(all.compared) +
         " have at most as many preemptions as `pb` needs, within " +
         std::to_string(static_cast<int>(most_seconds)) + " seconds: " + as_text(100 * share) +
         " % (bar: 90 %, " + verdict + ").\n";
}

std::string row_table(const std::vector<Row>& rows, const std::function<bool(const Row&)>& shows) {
  std::string text =
      "| program | kind | preemptions as found | minimised | `pb` | executions tried | seconds |\n"
      "|---|---|---|---|---|---|---|\n";
  for (const Row& row : rows) {
    if (shows(row)) text += "| " + cells_of(row) + " |\n";
  }
  return text + "\n";
}

// Programs whose searches have not been made, by suite.
using Missing = std::map<std::string, std::size_t>;

std::string missing_text(const Missing& missing) {
  if (missing.empty()) return {};
  std::string text;
  for (const auto& [suite, count] : missing)
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " of " + suite;
  return "Not measured yet, and not in the figures: " + text + ".\n\n";
}

std::string section(const std::vector<Row>& rows, const Missing& missing) {
  return "## Minimised executions\n\n" + machine() +
         "\n\nEvery program with a bug that needs no options: those of tests/programs/bug, and the "
         "bugs of the suites gambit, hapset, protocols and nodes. The bug is found by the default "
         "strategy with seed 1, in at most " +
         std::to_string(static_cast<int>(longest_search)) +
         " seconds of processor time, and made shorter as at the end of each `ricercar run`. The "
         "reference is `pb`, which tries all executions without a preemption, then with one, and "
         "so on: it is given " +
         std::to_string(static_cast<int>(longest_reference)) +
         " seconds of processor time to find the same failure (kind and places, and the message "
         "where places do not say all). A row counts if it does. Threads that go round forever "
         "count with the way to the round and one round; `pb` has them as long as the limit of "
         "steps. Seconds are processor time: those "
         "of the search with minimising, less those without. A search for a shorter execution also "
         "ends after five seconds on the clock: where a busy machine has let it try few "
         "executions, more would have been tried on an idle one.\n\n" +
         missing_text(missing) + summary_table(rows, missing.empty()) +
         "\nThose that `pb` finds with fewer preemptions, or that took longer:\n\n" +
         row_table(rows, [](const Row& row) { return row.reference && !row.is_met(); }) +
         "All others that had " + std::to_string(listed_preemptions) +
         " preemptions or more when they were found (`-`: `pb` does not find the failure):\n\n" +
         row_table(rows, [](const Row& row) {
           return row.before >= listed_preemptions && (row.is_met() || !row.reference);
         });
}

std::vector<BugSubject> all_subjects(char** arguments) {
  const fs::path suites = fs::absolute(arguments[3]), programs = fs::absolute(arguments[4]);
  std::vector<BugSubject> all = ordinary_bug_programs(fs::absolute(arguments[2]));
  for (BugSubject& subject : all) subject.name = "tests/" + subject.name;
  for (const auto& bugs :
       {bugs_of_thread_suites(suites, programs), bugs_of_protocols(suites, programs),
        bugs_of_clusters(suites, programs)}) {
    all.insert(all.end(), bugs.begin(), bugs.end());
  }
  return all;
}

void run(int count, char** arguments) {
  const std::string asked = count > 7 ? arguments[7] : "";
  const bool makes_searches = asked != "known";
  const std::string wanted = makes_searches ? asked : "";
  const fs::path folder = fs::absolute(arguments[5]);
  fs::create_directories(folder);
  Benchmark benchmark(fs::absolute(arguments[1]), folder, makes_searches);
  std::vector<Row> rows;
  Missing missing;
  for (const BugSubject& subject : all_subjects(arguments)) {
    if (!subject.name.starts_with(wanted)) continue;
    try {
      rows.push_back(benchmark.measure(subject));
      print(rows.back());
    } catch (const NotKnown&) {
      ++missing[subject.name.substr(0, subject.name.find('/'))];
    }
  }
  const std::string text = section(rows, missing);
  std::printf("\n%s", text.c_str());
  if (wanted.empty()) write_section(arguments[6], "minimise", text);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 7 && count != 8) {
    std::fprintf(stderr,
                 "usage: minimise_bench TOOL tests/programs SUITES PROGRAMS FOLDER BENCHMARKS.md "
                 "[ROWS]\n");
    return 2;
  }
  try {
    run(count, arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "minimise_bench: %s\n", error.what());
    return 1;
  }
  return 0;
}
