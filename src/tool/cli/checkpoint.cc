#include "cli/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files.h"
#include "cli/place_names.h"
#include "cli/session.h"
#include "pool/parcel.h"

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

// --- The file ---

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

Checkpoint::Checkpoint(const std::string& path, const std::string& resumed, Identity identity)
    : path_(path.empty() ? resumed : path),
      identity_(std::move(identity)),
      next_(std::min(first_seconds, interval())) {
  if (path_ != resumed) require_free(path_);
  if (resumed.empty()) return;
  const KeptFile kept = read_kept(resumed);
  const std::string difference = first_difference(kept.facts.at("search").dump(), identity_);
  if (!difference.empty()) refuse(resumed, "is the checkpoint of another search: " + difference);
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
  facts["search"] = Json::parse(to_json(identity_));
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
