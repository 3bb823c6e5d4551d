#include "cli/checkpoint.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/check.h"
#include "base/error.h"
#include "base/files.h"
#include "cli/place_names.h"
#include "cli/session.h"
#include "nodes/cluster_file.h"
#include "report/executable.h"

namespace ricercar::inline cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::string_view first_words = "ricercar checkpoint ";
// Of the file, and of what the worker writes: both change it.
constexpr int file_format = 1;
constexpr std::size_t largest_file = std::size_t{64} << 30;
constexpr double first_seconds = 1;
constexpr double interval_seconds = 20;

// Tests are in a hurry.
double interval() {
  const char* variable = std::getenv("RICERCAR_CHECKPOINT_SECONDS");
  return variable != nullptr ? std::atof(variable) : interval_seconds;
}

std::string in_quotes(const std::string& text) { return fmt::format("'{}'", text); }

// --- What a search is ---

template <typename Value>
std::string text_of(const Value& value) {
  if constexpr (std::is_same_v<Value, Points>) {
    return std::string(name_of(value));
  } else if constexpr (std::is_same_v<Value, bool>) {
    return value ? "yes" : "no";
  } else if constexpr (std::is_arithmetic_v<Value>) {
    return fmt::format("{}", value);
  } else {
    return std::string(std::string_view(value));
  }
}

void add_options(Identity& identity, const Request& request) {
  const auto add = [&](const auto& field, const auto& value) {
    identity.emplace_back(fmt::format("option {}", field.name), text_of(value));
  };
  visit_fields<ScheduleOptions>(request, add);
  identity.emplace_back("option keep_going", text_of(request.keep_going));
  identity.emplace_back("option force_fork", text_of(request.force_fork));
  identity.emplace_back("option memory", text_of(request.memory));
  identity.emplace_back("kinds of bugs that are ignored",
                        fmt::format("{:#x}", request.ignored_kinds));
}

void add_libraries(Identity& identity, const std::string& program) {
  for (const std::string& library : libraries_of(program)) {
    const std::string name = "library " + fs::path(library).filename().string();
    const std::pair<std::string, std::string> entry{name, build_id_of(library)};
    if (std::find(identity.begin(), identity.end(), entry) == identity.end()) {
      identity.push_back(entry);
    }
  }
}

// --- The file ---

std::string packed(std::string_view bytes) {
  uLongf size = ::compressBound(bytes.size());
  std::string result(size, '\0');
  const auto* from = reinterpret_cast<const Bytef*>(bytes.data());
  const int status =
      ::compress2(reinterpret_cast<Bytef*>(result.data()), &size, from, bytes.size(), Z_BEST_SPEED);
  RICERCAR_CHECK(status == Z_OK);
  result.resize(size);
  return result;
}

bool unpack(std::string_view bytes, std::string& to) {
  uLongf size = to.size();
  const auto* from = reinterpret_cast<const Bytef*>(bytes.data());
  return ::uncompress(reinterpret_cast<Bytef*>(to.data()), &size, from, bytes.size()) == Z_OK &&
         size == to.size();
}

std::uint32_t checksum(std::string_view bytes) {
  const auto* from = reinterpret_cast<const Bytef*>(bytes.data());
  return static_cast<std::uint32_t>(::crc32_z(0, from, bytes.size()));
}

struct KeptFile {
  Json facts;
  std::string packed_body;

  bool is_finished() const { return facts.at("finished").get<bool>(); }
  std::uint64_t executions() const { return facts.at("executions").get<std::uint64_t>(); }
};

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw UsageError(fmt::format("'{}' {}", path, why));
}

[[noreturn]] void refuse_damaged(const std::string& path) {
  refuse(path,
         "is damaged or cut short: its checksum is not that of its content; begin anew with "
         "--checkpoint and another file");
}

KeptFile read_kept(const std::string& path) {
  const std::string content = read_file(path, largest_file);
  const std::size_t line = content.find('\n');
  if (!content.starts_with(first_words) || line == std::string::npos) {
    refuse(path, "is no checkpoint of a search: `ricercar run --checkpoint FILE` writes one");
  }
  int version = 0;
  std::uint32_t expected = 0;
  const std::string words = content.substr(first_words.size(), line - first_words.size());
  if (std::sscanf(words.c_str(), "%d %" SCNx32, &version, &expected) != 2) refuse_damaged(path);
  if (version != file_format) {
    refuse(path, fmt::format("was written by another version of Ricercar (format {}, this is {})",
                             version, file_format));
  }
  const std::string_view rest = std::string_view(content).substr(line + 1);
  const std::size_t end = rest.find('\n');
  if (checksum(rest) != expected || end == std::string_view::npos) refuse_damaged(path);
  return {Json::parse(rest.substr(0, end)), std::string(rest.substr(end + 1))};
}

// --- Whose search it is ---

Json facts_of(const Identity& identity) {
  Json json = Json::object();
  for (const auto& [name, value] : identity) json[name] = value;
  return json;
}

void require_same(const std::string& path, const Json& kept, const Json& wanted) {
  for (const auto& [name, value] : wanted.items()) {
    const std::string before = kept.value(name, "");
    if (before == value) continue;
    const std::string now = value;
    refuse(path, fmt::format("is the checkpoint of another search: its {} is {}, and not {}", name,
                             before.empty() ? "not known" : in_quotes(before),
                             now.empty() ? "none" : in_quotes(now)));
  }
  for (const auto& [name, value] : kept.items()) {
    if (!wanted.contains(name)) {
      refuse(path, fmt::format("is the checkpoint of another search: it has the {}, which is gone",
                               name));
    }
  }
}

// A search of hours is not to be lost by a command that was typed again.
void require_free(const std::string& path) {
  if (!fs::is_regular_file(path)) return;
  const KeptFile kept = read_kept(path);
  if (kept.is_finished()) return;
  refuse(path, fmt::format("holds a search that is not finished, after {} executions: go on with "
                           "--resume {}, or remove the file",
                           kept.executions(), path));
}

}  // namespace

Identity identity_of(const Program& program, const Request& request,
                     const Suppressions& suppressions) {
  Identity identity = {{"version of Ricercar", RICERCAR_VERSION}};
  const std::string own = fs::canonical("/proc/self/exe");
  if (program.is_cluster()) identity.emplace_back("build of Ricercar", build_id_of(own));
  identity.emplace_back("program", fs::path(program.path).filename());
  identity.emplace_back("build of the program", build_of(program));
  std::string arguments;
  for (const std::string& argument : program.arguments) {
    const bool is_word = !argument.empty() && argument.find(' ') == std::string::npos;
    arguments += (arguments.empty() ? "" : " ") + (is_word ? argument : in_quotes(argument));
  }
  identity.emplace_back("list of arguments", arguments);
  add_options(identity, request);
  std::string known;
  for (const Suppression& each : suppressions.all()) known += each.text + "; ";
  identity.emplace_back("list of suppressions", known);
  if (!program.is_cluster()) add_libraries(identity, program.path);
  for (const std::string& node : program.nodes) add_libraries(identity, node);
  if (program.properties) {
    identity.emplace_back("file of properties", build_id_of(read_cluster(program.path).properties));
  }
  return identity;
}

Checkpoint::Checkpoint(const std::string& path, const std::string& resumed, Identity identity)
    : path_(path.empty() ? resumed : path),
      identity_(std::move(identity)),
      next_(std::min(first_seconds, interval())) {
  if (path_ != resumed) require_free(path_);
  if (resumed.empty()) return;
  const KeptFile kept = read_kept(resumed);
  require_same(resumed, kept.facts.at("search"), facts_of(identity_));
  seconds_before_ = kept.facts.at("seconds").get<double>();
  places_ = kept.facts.at("places").get<std::vector<std::string>>();
  counts_traces_ = kept.facts.at("counts_traces").get<bool>();
  body_.resize(kept.facts.at("bytes").get<std::size_t>());
  if (!unpack(kept.packed_body, body_)) refuse_damaged(resumed);
}

void Checkpoint::share(PlaceNames& names) {
  for (const std::string& place : places_) names.number_of(place, true);
  names_ = &names;
}

std::string Checkpoint::content(const Control& control, double seconds, bool is_finished) const {
  const Array<char>& kept = control.keeping.kept;
  Json facts;
  facts["executions"] = control.keeping.executions;
  facts["seconds"] = seconds_before_ + seconds;
  facts["finished"] = is_finished;
  facts["counts_traces"] = control.request.count_traces;
  facts["bytes"] = kept.size;
  facts["places"] = names_->texts();
  facts["search"] = facts_of(identity_);
  const std::string rest = facts.dump() + "\n" + packed({kept.data, kept.size});
  return fmt::format("{}{} {:08x}\n", first_words, file_format, checksum(rest)) + rest;
}

void Checkpoint::take(const Control& control, double seconds, bool is_finished) {
  const std::uint64_t number = control.keeping.number;
  if (number == taken_ && !is_finished) return;
  taken_ = number;
  try {
    write_file(path_, content(control, seconds, is_finished));
    executions_ = control.keeping.executions;
    problem_.clear();
  } catch (const UsageError& error) {
    if (problem_.empty()) {
      fmt::print(stderr,
                 "ricercar: the search goes on, but it could not be kept: {} (what was written "
                 "before is still there)\n",
                 error.what());
    }
    problem_ = error.what();
  }
}

int Checkpoint::tick_ms() { return static_cast<int>(std::min(200.0, interval() * 500)); }

void Checkpoint::look(Control& control, double seconds) {
  if (control.keeping.is_wanted) return;
  take(control, seconds, false);
  if (seconds < next_ || control.status != Status::running) return;
  next_ = seconds + interval();
  control.keeping.is_wanted = true;
}

void Checkpoint::finish(const Control& control, double seconds) {
  const bool is_finished = control.status == Status::finished || control.keeping.has_ended;
  take(control, seconds, is_finished);
  note_.clear();
  if (is_finished && is_written()) return;
  if (!is_written()) {
    note_ = "the search could not be kept: " + problem_;
  } else if (taken_ == 0) {
    note_ = "the search was not kept: it came to no execution's end";
  } else {
    note_ = fmt::format("kept after {} executions: --resume {} goes on", executions_, path_);
  }
}

}  // namespace ricercar::inline cli
