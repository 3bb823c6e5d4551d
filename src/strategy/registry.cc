#include "strategy/registry.h"

#include <charconv>
#include <optional>
#include <vector>

#include "base/error.h"
#include "base/nearest.h"
#include "strategy/priority.h"

namespace ricercar::inline strategy {

// The factories, each in the strategy's own file. Parameters have been checked against the table
// before one is called.
using MakeStrategy = std::unique_ptr<Strategy>(const Parameters& parameters);
MakeStrategy make_bestfirst, make_bpor, make_coverage, make_dfs, make_dpor, make_hapset, make_irs,
    make_mixed, make_pb, make_pct, make_portfolio, make_pos, make_random, make_rff, make_ses,
    make_ses_ss, make_ss, make_surw;

namespace {

constexpr ParameterInfo mixed_parameters[] = {
    {"members", "threads",
     "who takes turns: those for threads, or those for nodes, with pos and coverage: threads or "
     "nodes; a search of nodes takes those for nodes",
     0, 0},
};

constexpr ParameterInfo pb_parameters[] = {
    {"bound", "2", "the largest number of preemptions", 0, 1000000},
    {"memory", "1024", "the most megabytes for what waits for the next bound, without a cache", 1,
     1000000},
    {"cache", "no", "know states again, and go on from each only once: yes or no", 0, 0},
    {"iterative", "yes", "fewest preemptions first; no: in depth-first order, as CHESS does", 0, 0},
};

constexpr ParameterInfo bpor_parameters[] = {
    {"bound", "2", "the largest number of preemptions", 0, 1000000},
};

constexpr ParameterInfo bestfirst_parameters[] = {
    {"space", "dpor", "what there is to explore: dpor, persistent, pb=N or all", 0, 0},
    {"priority", "mdpor+pb", "what comes first: up to four of the priorities below, joined by +", 0,
     0},
    {"measure", "no", "tell how large the tree would be with a node for each choice: yes or no", 0,
     0},
};

constexpr std::uint64_t most_bytes = std::uint64_t{1} << 50;

#define RICERCAR_EXPLORER_PARAMETERS                                                          \
  {"explorer", "rr", "who runs unless it is delayed: one of the explorers below", 0, 0},      \
      {"check", "no", "check in every state that delays reach all tasks: yes or no", 0, 0}, { \
    "bound", "1000000000", "the largest number of delays", 0, 1000000000                      \
  }

constexpr ParameterInfo ses_parameters[] = {
    RICERCAR_EXPLORER_PARAMETERS,
    {"step", "1", "how many delays more each stratum allows", 1, 1000000},
    {"cache", "0", "bytes for the states that are known, with K, M or G; 0: no limit", 0, 0},
    {"policy", "stop", "what a full cache does with one state more: stop or replace", 0, 0},
    {"reduce", "no", "leave out steps that lead to known states only, by sleep sets: yes or no", 0,
     0},
    {"exact", "no", "a state belongs to the stratum of its least number of delays: yes or no", 0,
     0},
    {"cycles", "no", "look for fair cycles through hot states of monitors: yes or no", 0, 0},
};

constexpr ParameterInfo ss_parameters[] = {
    RICERCAR_EXPLORER_PARAMETERS,
    {"c1", "100", "c1 + c2^d samples are taken with d delays", 0, 1000000000},
    {"c2", "3", "see c1", 1, 1000},
    {"values", "delay",
     "another value of choose() costs a delay; both: every other sample draws values instead", 0,
     0},
    {"group", "64", "samples that are taken side by side, so that several cores can take part", 1,
     1000000},
};

constexpr ParameterInfo ses_ss_parameters[] = {
    RICERCAR_EXPLORER_PARAMETERS,
    {"memory", "0", "bytes for states and frontier, with K, M or G; 0: --memory, or 1G", 0, 0},
    {"c1", "100", "c1 + c2^d samples are taken with d delays more", 0, 1000000000},
    {"c2", "3", "see c1", 1, 1000},
};

#undef RICERCAR_EXPLORER_PARAMETERS

constexpr ParameterInfo hapset_parameters[] = {
    {"base", "dpor", "which executions there are: dpor, or pb (with at most so many preemptions)",
     0, 0},
    {"bound", "2", "the largest number of preemptions, with base=pb", 0, 1000000},
    {"context", "5", "how many calls tell two statements of one line apart", 0, 50},
    {"learn", "0", "random executions to learn from, before the search", 0, 1000000},
    {"prune", "first",
     "yes: leave out what shows nothing new; no: run it later; first: leave it out, then run it", 0,
     0},
    {"replan", "no",
     "leave out what was planned and has become known before its turn; no: run it, as the paper", 0,
     0},
};

constexpr ParameterInfo pct_parameters[] = {
    {"depth", "3", "how many ordering constraints a bug may need to be guaranteed a chance", 1,
     100},
    {"steps", "0", "how many choices between tasks an execution has; 0: learned on the way", 0,
     1000000000},
};

constexpr ParameterInfo random_parameters[] = {
    {"slow", "no", "of nodes, a message, a thread or a whole node is slow now and then: yes or no",
     0, 0},
};

constexpr ParameterInfo surw_parameters[] = {
    {"interest", "drawn",
     "the events whose orders are equally likely: all, those on one shared object that is drawn "
     "for "
     "each execution, or now these and now those: all, object or drawn",
     0, 0},
};

constexpr ParameterInfo coverage_parameters[] = {
    {"score", "frequency",
     "what code is worth: unique, frequency (less the more often it ran) or node-frequency", 0, 0},
};

constexpr StrategyInfo strategy_table[] = {
    {"portfolio",
     "the default: dpor, pb, hapset, random, surw, pos, rff and pct by turns; more of those that "
     "still show something new",
     "see dpor, pb, hapset, random, surw, pos, rff and pct",
     {},
     make_portfolio},
    {"mixed", "pb with a growing bound, random and pct by turns; the default for nodes",
     "see pb, random and pct", mixed_parameters, make_mixed},
    {"dfs",
     "every execution, depth first, each exactly once",
     "P. Godefroid, Model Checking for Programming Languages using VeriSoft, POPL 1997",
     {},
     make_dfs,
     true},
    {"pb", "every execution with at most so many preemptions, fewest first, each exactly once",
     "M. Musuvathi, S. Qadeer, Iterative Context Bounding for Systematic Testing of Multithreaded "
     "Programs, PLDI 2007",
     pb_parameters, make_pb, true},
    {"dpor",
     "one execution for each Mazurkiewicz trace: executions that differ only in the order of steps "
     "that commute are one",
     "P. Abdulla, S. Aronis, B. Jonsson, K. Sagonas, Source Sets: A Foundation for Optimal Dynamic "
     "Partial Order Reduction, JACM 64(4), 2017",
     {},
     make_dpor,
     true},
    {"bpor",
     "every execution with at most so many preemptions, but few of those that differ only in the "
     "order of steps that commute",
     "K. Coons, M. Musuvathi, K. McKinley, Bounded Partial-Order Reduction, OOPSLA 2013",
     bpor_parameters, make_bpor, true},
    {"bestfirst", "first what a priority prefers; nothing twice, and in the end the whole space",
     "K. Coons, S. Burckhardt, M. Musuvathi, GAMBIT: Effective Unit Testing for Concurrency "
     "Libraries, PPoPP 2010",
     bestfirst_parameters, make_bestfirst, true},
    {"hapset",
     "first the few executions in which a statement follows another one, on one object and in "
     "another thread, that it has never followed before; then the others",
     "C. Wang, M. Said, A. Gupta, Coverage Guided Systematic Concurrency Testing, ICSE 2011",
     hapset_parameters, make_hapset, true, true},
    {"random", "each option with the same probability at every choice",
     "P. Thomson, A. Donaldson, A. Betts, Concurrency Testing Using Controlled Schedulers, TOPC "
     "2016",
     random_parameters, make_random},
    {"irs",
     "random executions, cut after 100, 200, ... steps; more of the longer ones",
     "A. Desai, S. Qadeer, S. Seshia, Systematic Testing of Asynchronous Reactive Systems, "
     "ESEC/FSE "
     "2015",
     {},
     make_irs},
    {"pct", "random priorities that change at random points; a known chance for bugs of a depth",
     "S. Burckhardt, P. Kothari, M. Musuvathi, S. Nagarakatte, A Randomized Scheduler with "
     "Probabilistic Guarantees of Finding Bugs, ASPLOS 2010",
     pct_parameters, make_pct},
    {"pos",
     "random priorities of steps, drawn again where steps race: fairer to rare orders than random",
     "X. Yuan, J. Yang, R. Gu, Partial Order Aware Concurrency Sampling, CAV 2018",
     {},
     make_pos},
    {"surw",
     "orders of events are equally likely: a task is drawn by how many it has left, of all or of "
     "those on one object",
     "H. Zhao, D. Wolff, U. Mathur, A. Roychoudhury, Selectively Uniform Concurrency Testing, "
     "ASPLOS 2025",
     surw_parameters, make_surw},
    {"rff",
     "random priorities of steps, made to agree with wishes which read takes from which write; "
     "wishes that showed something new are changed and tried again",
     "D. Wolff, Z. Shi, G. Duck, U. Mathur, A. Roychoudhury, Greybox Fuzzing for Concurrency "
     "Testing, ASPLOS 2024",
     {},
     make_rff},
    {"coverage",
     "actions that were never taken, then those that lead to code which this execution has not "
     "seen; for nodes compiled with --coverage",
     "V. Anand, Dara The Explorer: Coverage Based Exploration for Model Checking of Distributed "
     "Systems in Go, 2020",
     coverage_parameters, make_coverage},
    {"ses", "every state, in the order of how many delays of an explorer lead there",
     "A. Desai, S. Qadeer, S. Seshia, Systematic Testing of Asynchronous Reactive Systems, "
     "ESEC/FSE "
     "2015",
     ses_parameters, make_ses, true},
    {"ss",
     "samples with 1, 2, ... delays of an explorer; a known chance for every execution with so "
     "many",
     "A. Desai, S. Qadeer, S. Seshia, Systematic Testing of Asynchronous Reactive Systems, "
     "ESEC/FSE "
     "2015",
     ss_parameters, make_ss},
    {"ses+ss", "ses for as long as its memory lasts, then samples that start at its frontier",
     "A. Desai, S. Qadeer, S. Seshia, Systematic Testing of Asynchronous Reactive Systems, "
     "ESEC/FSE "
     "2015 (as future work)",
     ses_ss_parameters, make_ses_ss, true},
};

std::optional<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t number = 0;
  const char* last = text.data() + text.size();
  const auto result = std::from_chars(text.data(), last, number);
  if (result.ec != std::errc() || result.ptr != last) return std::nullopt;
  return number;
}

const StrategyInfo& find_strategy(std::string_view name) {
  std::vector<std::string_view> names;
  for (const StrategyInfo& strategy : strategy_table) {
    if (strategy.name == name) return strategy;
    names.push_back(strategy.name);
  }
  throw UsageError("there is no strategy " + quoted(name) + did_you_mean(name, names) +
                   " (`ricercar strategies` lists them all)");
}

const ParameterInfo& find_parameter(const StrategyInfo& strategy, std::string_view name) {
  if (strategy.parameters.empty()) {
    throw UsageError("the strategy " + quoted(strategy.name) + " takes no parameters, but got " +
                     quoted(name));
  }
  std::vector<std::string_view> names;
  for (const ParameterInfo& parameter : strategy.parameters) {
    if (parameter.name == name) return parameter;
    names.push_back(parameter.name);
  }
  throw UsageError("the strategy " + quoted(strategy.name) + " has no parameter " + quoted(name) +
                   did_you_mean(name, names) + " (`ricercar strategies` lists them all)");
}

void check_value(const StrategyInfo& strategy, const ParameterInfo& parameter,
                 std::string_view value) {
  if (!parameter.is_number()) return;
  const std::optional<std::uint64_t> number = parse_number(value);
  if (number && *number >= parameter.minimum && *number <= parameter.maximum) return;
  throw UsageError("the parameter " + quoted(parameter.name) + " of the strategy " +
                   quoted(strategy.name) + " is a number from " +
                   std::to_string(parameter.minimum) + " to " + std::to_string(parameter.maximum) +
                   ", not " + quoted(value));
}

[[noreturn]] void malformed(std::string_view specification, const std::string& why) {
  throw UsageError("the strategy specification " + quoted(specification) + " is malformed: " + why +
                   "; write name:parameter=value,... as in pct:depth=3,steps=100");
}

// Reads one `parameter=value`. A value may hold further '=' signs.
void read_assignment(const StrategyInfo& strategy, std::string_view specification,
                     std::string_view assignment, Parameters& parameters) {
  const std::size_t equals = assignment.find('=');
  if (equals == 0 || assignment.empty()) malformed(specification, "a parameter has no name");
  const ParameterInfo& parameter = find_parameter(strategy, assignment.substr(0, equals));
  const std::string name(parameter.name);
  if (equals == std::string_view::npos || equals + 1 == assignment.size()) {
    malformed(specification, "the parameter " + quoted(name) + " has no value");
  }
  const std::string_view value = assignment.substr(equals + 1);
  check_value(strategy, parameter, value);
  if (!parameters.values.emplace(name, value).second) {
    malformed(specification, "the parameter " + quoted(name) + " is given twice");
  }
}

void read_assignments(const StrategyInfo& strategy, std::string_view specification,
                      std::string_view rest, Parameters& parameters) {
  for (;;) {
    const std::size_t comma = rest.find(',');
    read_assignment(strategy, specification, rest.substr(0, comma), parameters);
    if (comma == std::string_view::npos) return;
    rest.remove_prefix(comma + 1);
  }
}

// Every parameter gets its value, given or by default.
const StrategyInfo& read_specification(std::string_view specification, Parameters& parameters) {
  if (specification.empty()) specification = default_strategy;
  const std::size_t colon = specification.find(':');
  const StrategyInfo& strategy = find_strategy(specification.substr(0, colon));
  if (colon != std::string_view::npos) {
    read_assignments(strategy, specification, specification.substr(colon + 1), parameters);
  }
  for (const ParameterInfo& parameter : strategy.parameters) {
    parameters.values.emplace(parameter.name, parameter.default_value);
  }
  return strategy;
}

}  // namespace

std::uint64_t Parameters::number(std::string_view name) const {
  const std::optional<std::uint64_t> number = parse_number(text(name));
  if (!number) {
    throw UsageError("the parameter " + quoted(name) + " is a number, not " + quoted(text(name)));
  }
  return *number;
}

const std::string& Parameters::text(std::string_view name) const {
  const auto found = values.find(name);
  RICERCAR_CHECK(found != values.end());
  return found->second;
}

bool Parameters::flag(std::string_view name) const {
  const std::string& value = text(name);
  if (value == "yes") return true;
  if (value == "no") return false;
  throw UsageError("the parameter " + quoted(name) + " is yes or no, not " + quoted(value));
}

std::uint64_t Parameters::bytes(std::string_view name) const {
  std::string_view value = text(name);
  unsigned shift = 0;
  const std::size_t unit = std::string_view("KMG").find(value.back());
  if (unit != std::string_view::npos) {
    shift = 10 * (static_cast<unsigned>(unit) + 1);
    value.remove_suffix(1);
  }
  const std::optional<std::uint64_t> number = parse_number(value);
  if (!number || *number > most_bytes >> shift) {
    throw UsageError("the parameter " + quoted(name) +
                     " is a number of bytes, as in 4096, 64K, 100M or 2G, not " +
                     quoted(text(name)));
  }
  return *number << shift;
}

std::span<const StrategyInfo> strategies() { return strategy_table; }

const StrategyInfo& strategy_info(std::string_view specification) {
  Parameters parameters;
  return read_specification(specification, parameters);
}

std::unique_ptr<Strategy> make_strategy(std::string_view specification, std::uint64_t seed,
                                        const Resources& resources) {
  Parameters parameters;
  parameters.seed = seed;
  parameters.resources = resources;
  return read_specification(specification, parameters).make(parameters);
}

std::optional<std::uint32_t> calls_of_statements(std::string_view specification) {
  Parameters parameters;
  if (read_specification(specification, parameters).learns_statements) {
    return static_cast<std::uint32_t>(parameters.number("context"));
  }
  for (const PriorityItem& item : priorities_in(specification)) {
    const PriorityInfo* info = priority_info(item.name);
    if (info != nullptr && info->learns_statements) return calls_of_priority;
  }
  return std::nullopt;
}

Points default_points(std::string_view specification) {
  return calls_of_statements(specification) ? Points::shared : Points::racy;
}

std::vector<PriorityItem> priorities_in(std::string_view specification) {
  Parameters parameters;
  read_specification(specification, parameters);
  const auto found = parameters.values.find("priority");
  if (found == parameters.values.end()) return {};
  return parse_priorities(found->second);
}

}  // namespace ricercar::inline strategy
