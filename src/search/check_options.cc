#include "search/check_options.h"

#include <cerrno>
#include <cstdlib>
#include <iterator>
#include <sstream>

#include "base/error.h"
#include "base/nearest.h"
#include "model/outcome_kinds.h"
#include "search/process_facts.h"
#include "strategy/registry.h"

namespace ricercar::inline search {
namespace {

constexpr std::string_view own_prefix = "--ricercar-";

std::string text(const char* from) { return from == nullptr ? "" : from; }

// What is asked for, before one thing is made of another.
struct Wishes {
  CheckOptions options;
  std::string strategy, points, fail_on, ignore;
  bool has_executions = false;  // from outside of the code
};

// The value of an option, with the words that it was given by.
struct Value {
  std::string words;
  std::string text;

  [[noreturn]] void complain(const char* wanted) const {
    throw UsageError(words + ": " + wanted + " is wanted");
  }
  std::uint64_t number() const {
    char* end = nullptr;
    errno = 0;
    const unsigned long long value = std::strtoull(text.c_str(), &end, 10);
    if (text.empty() || text[0] == '-' || *end != 0 || errno != 0) complain("a number");
    return value;
  }
  double seconds() const {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != 0 || !(value >= 0)) complain("a number of seconds");
    return value;
  }
};

struct Row {
  std::string_view name;
  bool has_value;
  void (*apply)(Wishes&, const Value&);
};

constexpr Row rows[] = {
    {"strategy", true, [](Wishes& wishes, const Value& value) { wishes.strategy = value.text; }},
    {"executions", true,
     [](Wishes& wishes, const Value& value) {
       wishes.options.request.max_executions = value.number();
       wishes.has_executions = true;
     }},
    // As with `ricercar run`, a time that is given is the limit.
    {"time", true,
     [](Wishes& wishes, const Value& value) {
       wishes.options.request.max_seconds = value.seconds();
       if (!wishes.has_executions) wishes.options.request.max_executions = 0;
     }},
    {"seed", true,
     [](Wishes& wishes, const Value& value) { wishes.options.request.seed = value.number(); }},
    {"steps", true,
     [](Wishes& wishes, const Value& value) { wishes.options.request.max_steps = value.number(); }},
    {"points", true, [](Wishes& wishes, const Value& value) { wishes.points = value.text; }},
    {"out", true, [](Wishes& wishes, const Value& value) { wishes.options.out = value.text; }},
    {"fail-on", true, [](Wishes& wishes, const Value& value) { wishes.fail_on = value.text; }},
    {"ignore", true, [](Wishes& wishes, const Value& value) { wishes.ignore = value.text; }},
    {"keep-going", false,
     [](Wishes& wishes, const Value&) { wishes.options.request.keep_going = true; }},
    {"no-races", false, [](Wishes& wishes, const Value&) { wishes.options.request.races = false; }},
    {"no-minimise", false, [](Wishes& wishes, const Value&) { wishes.options.minimises = false; }},
    {"spurious", false,
     [](Wishes& wishes, const Value&) { wishes.options.request.spurious_wakeups = true; }},
    {"weak-failures", false,
     [](Wishes& wishes, const Value&) { wishes.options.request.weak_failures = true; }},
};

const Row& row_by_name(const std::string& words, std::string_view name) {
  std::vector<std::string_view> names;
  for (const Row& row : rows) {
    if (row.name == name) return row;
    names.push_back(row.name);
  }
  throw UsageError(words + ": ricercar::check has no such option" + did_you_mean(name, names));
}

// "strategy=dfs", or "strategy" with `next` as its value. Returns whether `next` is used up.
bool apply(Wishes& wishes, const std::string& words, std::string_view option,
           const std::string* next) {
  const std::size_t equals = option.find('=');
  const Row& row = row_by_name(words, option.substr(0, equals));
  Value value{words, ""};
  if (!row.has_value) {
    if (equals != std::string_view::npos) throw UsageError(words + ": it takes no value");
    row.apply(wishes, value);
    return false;
  }
  const bool uses_next = equals == std::string_view::npos;
  if (uses_next && next == nullptr) value.complain("a value, as --OPTION=VALUE,");
  value.text = uses_next ? *next : std::string(option.substr(equals + 1));
  row.apply(wishes, value);
  return uses_next;
}

void apply_environment(Wishes& wishes, const char* environment) {
  std::istringstream stream(text(environment));
  const std::vector<std::string> words{std::istream_iterator<std::string>(stream), {}};
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string shown = "RICERCAR_OPTIONS: '" + words[i] + "'";
    if (!words[i].starts_with("--")) throw UsageError(shown + ": options begin with --");
    const std::string* next = i + 1 < words.size() ? &words[i + 1] : nullptr;
    if (apply(wishes, shown, std::string_view(words[i]).substr(2), next)) ++i;
  }
}

void apply_arguments(Wishes& wishes, const std::vector<std::string>& arguments) {
  for (const std::string& word : arguments) {
    if (!is_check_argument(word)) continue;
    apply(wishes, "'" + word + "'", std::string_view(word).substr(own_prefix.size()), nullptr);
  }
}

// A program that was compiled with an earlier version has a shorter structure.
bool has(const ricercar_options& options, const void* member) {
  const auto* begin = reinterpret_cast<const char*>(&options);
  return static_cast<const char*>(member) - begin < static_cast<std::ptrdiff_t>(options.size);
}

Wishes wishes_in_code(const ricercar_options& options) {
  Wishes wishes;
  Request& request = wishes.options.request;
  wishes.strategy = text(options.strategy);
  wishes.points = text(options.points);
  request.races = options.races != 0;
  request.spurious_wakeups = options.spurious_wakeups != 0;
  request.weak_failures = options.weak_failures != 0;
  request.keep_going = options.keep_going != 0;
  request.seed = options.seed;
  request.max_executions = options.executions;
  request.max_seconds = options.seconds;
  request.max_steps = options.steps;
  wishes.options.out = text(options.out);
  if (has(options, &options.fail_on)) wishes.fail_on = text(options.fail_on);
  if (has(options, &options.ignore)) wishes.ignore = text(options.ignore);
  if (has(options, &options.no_minimise)) wishes.options.minimises = options.no_minimise == 0;
  return wishes;
}

}  // namespace

std::string name_in(const ricercar_options& options) {
  return has(options, &options.name) ? text(options.name) : "";
}

bool is_check_argument(std::string_view argument) { return argument.starts_with(own_prefix); }

CheckOptions check_options(const ricercar_options& options, const char* environment,
                           const std::vector<std::string>& arguments) {
  Wishes wishes = wishes_in_code(options);
  apply_environment(wishes, environment);
  apply_arguments(wishes, arguments);
  Request& request = wishes.options.request;
  request.strategy =
      strategy_text(wishes.strategy.empty() ? default_strategy : std::string_view(wishes.strategy));
  request.points =
      wishes.points.empty() ? default_points(request.strategy) : points_by_name(wishes.points);
  request.ignored_kinds = ignored_kinds(wishes.fail_on, wishes.ignore);
  return wishes.options;
}

CheckOptions check_options(const ricercar_options& options) {
  return check_options(options, std::getenv("RICERCAR_OPTIONS"), own_arguments());
}

}  // namespace ricercar::inline search
