#include "model/schedule.h"

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <string_view>
#include <tuple>

#include "base/check.h"
#include "base/error.h"
#include "base/files.h"
#include "base/random.h"

namespace ricercar::inline model {

using Json = nlohmann::ordered_json;

// Points and strategies are words in a file.
static void to_json(Json& stored, const Points& points) { stored = name_of(points); }
static void from_json(const Json& stored, Points& points) {
  points = points_by_name(stored.get_ref<const std::string&>());
}
static void from_json(const Json& stored, StrategyText& strategy) {
  strategy = strategy_text(stored.get_ref<const std::string&>());
}

namespace {

constexpr const char* schema = "ricercar.schedule/1";
constexpr std::string_view schema_family = "ricercar.schedule/";
constexpr std::size_t file_limit = std::size_t{1} << 30;

// A decision is two characters of this alphabet. The first one is below 48: it is the decision, and
// the second one is the check. Otherwise both together are a larger decision without a check; the
// last pair announces three characters with a decision that fits nowhere else.
constexpr std::string_view alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::uint32_t small_limit = 48;
constexpr std::uint32_t pair_limit = small_limit + (64 - small_limit) * 64 - 1;

std::string encode_decisions(const Schedule& schedule) {
  std::string text;
  text.reserve(2 * schedule.decisions.size());
  const auto put = [&](std::uint32_t digit) { text += alphabet[digit % 64]; };
  const auto put_pair = [&](std::uint32_t pair) {
    put(small_limit + pair / 64);
    put(pair);
  };
  for (std::size_t i = 0; i < schedule.decisions.size(); ++i) {
    const std::uint32_t decision = schedule.decisions[i];
    if (decision < small_limit) {
      put(decision);
      put(schedule.checks[i]);
      continue;
    }
    put_pair(std::min(decision, pair_limit) - small_limit);
    if (decision < pair_limit) continue;
    put(decision >> 12);
    put(decision >> 6);
    put(decision);
  }
  return text;
}

class DecisionReader {
 public:
  explicit DecisionReader(std::string_view text) : text_(text) {
    values_.fill(-1);
    for (std::size_t i = 0; i < alphabet.size(); ++i) {
      values_[static_cast<unsigned char>(alphabet[i])] = static_cast<int>(i);
    }
  }

  // False if the text is not what encode_decisions writes.
  bool read(Schedule& schedule) {
    while (position_ < text_.size()) {
      const std::uint32_t first = digit();
      const std::uint32_t second = digit();
      if (first < small_limit) {
        add(schedule, first, static_cast<std::uint8_t>(second));
        continue;
      }
      std::uint32_t decision = small_limit + (first - small_limit) * 64 + second;
      if (decision == pair_limit) decision = large();
      add(schedule, decision, unchecked);
    }
    return good_;
  }

 private:
  std::uint32_t digit() {
    const int value =
        position_ < text_.size() ? values_[static_cast<unsigned char>(text_[position_])] : -1;
    ++position_;
    good_ = good_ && value >= 0;
    return static_cast<std::uint32_t>(std::max(value, 0));
  }
  std::uint32_t large() {
    const std::uint32_t high = digit() << 12;
    const std::uint32_t middle = digit() << 6;
    return high | middle | digit();
  }
  void add(Schedule& schedule, std::uint32_t decision, std::uint8_t check) {
    good_ = good_ && decision <= 0xffff;
    schedule.decisions.push_back(static_cast<std::uint16_t>(decision));
    schedule.checks.push_back(check);
  }

  std::string_view text_;
  std::size_t position_ = 0;
  std::array<int, 256> values_;
  bool good_ = true;
};

// Five bits in a character, the lowest first; 32 is added to all characters of a number but its
// last one.
std::string encode_numbers(const std::vector<std::uint32_t>& numbers) {
  std::string text;
  for (std::uint32_t number : numbers) {
    for (; number >= 32; number >>= 5) text += alphabet[32 + number % 32];
    text += alphabet[number];
  }
  return text;
}

// Ascending numbers, as their differences.
std::string encode_accesses(std::vector<std::uint32_t> accesses) {
  std::adjacent_difference(accesses.begin(), accesses.end(), accesses.begin());
  return encode_numbers(accesses);
}

// Throws std::invalid_argument.
std::vector<std::uint32_t> decode_numbers(const std::string& text) {
  std::vector<std::uint32_t> numbers;
  std::uint32_t number = 0;
  unsigned shift = 0;
  for (const char character : text) {
    const std::size_t digit = alphabet.find(character);
    if (digit == std::string_view::npos || shift > 30) throw std::invalid_argument("no digit");
    number |= static_cast<std::uint32_t>(digit % 32) << shift;
    shift += 5;
    if (digit >= 32) continue;
    numbers.push_back(number);
    number = shift = 0;
  }
  if (shift != 0) throw std::invalid_argument("a list of numbers is cut off");
  return numbers;
}

std::vector<std::uint32_t> decode_accesses(const std::string& text) {
  std::vector<std::uint32_t> accesses = decode_numbers(text);
  std::partial_sum(accesses.begin(), accesses.end(), accesses.begin());
  return accesses;
}

// Arguments may be any bytes, JSON strings may not: what is not UTF-8 is stored byte by byte.
bool is_utf8(const std::string& text) {
  try {
    Json(text).dump();
    return true;
  } catch (const Json::exception&) {
    return false;
  }
}

Json encode_text(const std::string& text) {
  if (is_utf8(text)) return text;
  Json bytes = Json::array();
  for (const unsigned char byte : text) bytes.push_back(byte);
  return bytes;
}

std::string decode_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  std::string text;
  for (const Json& byte : value) text += static_cast<char>(byte.get<std::uint8_t>());
  return text;
}

std::string hexadecimal(std::uint64_t value) {
  std::string text(16, '0');
  for (auto digit = text.rbegin(); digit != text.rend(); ++digit, value >>= 4) {
    *digit = "0123456789abcdef"[value & 15];
  }
  return text;
}

std::uint64_t from_hexadecimal(const std::string& text) {
  if (text.size() != 16 || text.find_first_not_of("0123456789abcdef") != std::string::npos) {
    throw std::invalid_argument("not a hash");
  }
  return std::stoull(text, nullptr, 16);
}

std::string checksum(const Json& content) {
  std::uint64_t hash = 0;
  for (const unsigned char byte : content.dump()) hash = mix64(hash ^ byte);
  return hexadecimal(hash);
}

// Each different operation once, and which of them each decision led to.
void put_operations(Json& content, const std::vector<TaskOperation>& operations) {
  using Row = std::tuple<std::uint32_t, OperationKind, std::uint64_t, std::uint64_t>;
  std::map<Row, std::uint32_t> numbers;
  std::vector<std::uint32_t> list;
  Json table = Json::array();
  for (const auto& [task, operation] : operations) {
    const Row row{index(task), operation.kind, operation.object, operation.site};
    const auto [place, is_new] =
        numbers.try_emplace(row, static_cast<std::uint32_t>(numbers.size()));
    list.push_back(place->second);
    if (!is_new) continue;
    table.push_back({index(task), info(operation.kind).name, hexadecimal(operation.object),
                     hexadecimal(operation.site)});
  }
  content["operations"] = std::move(table);
  content["operation_numbers"] = encode_numbers(list);
}

OperationKind kind_by_name(const std::string& name) {
  std::uint8_t kind = 0;
  for (const OperationKindInfo& each : operation_kinds) {
    if (name == each.name) return static_cast<OperationKind>(kind);
    ++kind;
  }
  throw std::invalid_argument("there is no operation " + name);
}

std::vector<TaskOperation> operations_in(const Json& content, std::size_t decisions) {
  if (!content.contains("operations")) return {};
  std::vector<TaskOperation> table;
  for (const Json& row : content["operations"]) {
    const Operation operation{from_hexadecimal(row.at(2).get<std::string>()),
                              from_hexadecimal(row.at(3).get<std::string>()),
                              kind_by_name(row.at(1).get<std::string>()), 0};
    table.push_back({task_id(row.at(0).get<std::uint32_t>()), operation});
  }
  std::vector<TaskOperation> operations;
  for (const std::uint32_t number :
       decode_numbers(content.at("operation_numbers").get<std::string>())) {
    operations.push_back(table.at(number));
  }
  if (operations.size() != std::min(decisions, most_operations_kept))
    throw std::invalid_argument("operations are missing");
  return operations;
}

Json to_json(const ExecutionSize& size) {
  Json json;
  visit_fields<ExecutionSize>(
      size, [&](const auto& field, const auto& value) { json[field.name] = value; });
  return json;
}

ExecutionSize size_in(const Json& json) {
  ExecutionSize size;
  visit_fields<ExecutionSize>(
      size, [&](const auto& field, auto& value) { json.at(field.name).get_to(value); });
  return size;
}

Json to_json(const Minimised& minimised) {
  return {{"original", encode_text(minimised.original)},
          {"before", to_json(minimised.before)},
          {"after", to_json(minimised.after)},
          {"executions", minimised.executions}};
}

Minimised minimised_in(const Json& json) {
  return {decode_text(json.at("original")), size_in(json.at("before")), size_in(json.at("after")),
          json.at("executions").get<std::uint64_t>()};
}

Json to_json(const LastChanceFile& chance) {
  Json json;
  visit_fields<LastChance>(chance,
                           [&](const auto& field, const auto& value) { json[field.name] = value; });
  json["passing"] = encode_text(chance.passing);
  json["instead"] = encode_text(chance.instead);
  json["conflict"] = chance.is_conflict;
  if (!chance.order.empty()) {
    json["order"] = encode_text(chance.order);
    json["order_event"] = chance.order_event;
  }
  return json;
}

LastChanceFile last_chance_in(const Json& json) {
  LastChanceFile chance;
  visit_fields<LastChance>(
      chance, [&](const auto& field, auto& value) { json.at(field.name).get_to(value); });
  chance.passing = decode_text(json.at("passing"));
  chance.instead = decode_text(json.at("instead"));
  chance.is_conflict = json.value("conflict", false);
  if (json.contains("order")) chance.order = decode_text(json.at("order"));
  chance.order_event = json.value("order_event", std::uint64_t{0});
  return chance;
}

Json to_json(const Schedule& schedule) {
  Json content;
  content["schema"] = schema;
  content["program"] = encode_text(schedule.program);
  content["arguments"] = Json::array();
  for (const std::string& argument : schedule.arguments) {
    content["arguments"].push_back(encode_text(argument));
  }
  content["build_id"] = schedule.build_id;
  content["check_number"] = schedule.check_number;
  visit_fields<ScheduleOptions>(
      schedule, [&](const auto& field, const auto& value) { content[field.name] = value; });
  content["kind"] = schedule.kind;
  content["message"] = encode_text(schedule.message);
  content["execution"] = schedule.execution;
  content["steps"] = schedule.steps;
  content["trace_hash"] = hexadecimal(schedule.trace_hash);
  if (schedule.minimised) content["minimised"] = to_json(*schedule.minimised);
  if (schedule.last_chance) content["last_chance"] = to_json(*schedule.last_chance);
  content["decision_count"] = schedule.decisions.size();
  content["decisions"] = encode_decisions(schedule);
  if (!schedule.accesses.empty()) content["accesses"] = encode_accesses(schedule.accesses);
  visit_fields<ExecutionFacts>(schedule, [&](const auto& field, const auto& value) {
    if (value != 0) content[field.name] = value;
  });
  if (!schedule.operations.empty()) put_operations(content, schedule.operations);
  return content;
}

// Throws Json::exception or std::invalid_argument where the content is not what to_json writes.
Schedule from_json(const Json& content) {
  Schedule schedule;
  schedule.program = decode_text(content.at("program"));
  for (const Json& argument : content.at("arguments")) {
    schedule.arguments.push_back(decode_text(argument));
  }
  content.at("build_id").get_to(schedule.build_id);
  content.at("check_number").get_to(schedule.check_number);
  // What is younger than the file was as it is by default.
  const auto read_field = [&](const auto& field, auto& value) {
    if (content.contains(field.name)) content[field.name].get_to(value);
  };
  visit_fields<ScheduleOptions>(schedule, read_field);
  visit_fields<ExecutionFacts>(schedule, read_field);
  content.at("kind").get_to(schedule.kind);
  schedule.message = decode_text(content.at("message"));
  content.at("execution").get_to(schedule.execution);
  content.at("steps").get_to(schedule.steps);
  schedule.trace_hash = from_hexadecimal(content.at("trace_hash").get<std::string>());
  const auto count = content.at("decision_count").get<std::size_t>();
  if (!DecisionReader(content.at("decisions").get_ref<const std::string&>()).read(schedule) ||
      schedule.decisions.size() != count) {
    throw std::invalid_argument("the list of decisions is broken");
  }
  if (content.contains("accesses")) {
    schedule.accesses = decode_accesses(content["accesses"].get<std::string>());
  }
  schedule.operations = operations_in(content, schedule.decisions.size());
  if (content.contains("minimised")) schedule.minimised = minimised_in(content["minimised"]);
  if (content.contains("last_chance"))
    schedule.last_chance = last_chance_in(content["last_chance"]);
  return schedule;
}

[[noreturn]] void damaged(const std::string& path, const std::string& how) {
  throw UsageError("'" + path + "' is damaged (" + how +
                   "): run the search again to make a new one");
}

// The most likely file that is given by mistake is the summary of a run.
[[noreturn]] void foreign(const std::string& path, const std::string& found_schema) {
  if (found_schema.starts_with("ricercar.run/")) {
    throw UsageError("'" + path +
                     "' is the summary of a run, not a schedule; the schedules that belong to it "
                     "are named in it under \"bugs\"");
  }
  if (found_schema.starts_with(schema_family)) {
    throw UsageError("'" + path + "' was written by another version of Ricercar (" + found_schema +
                     "; this version reads " + schema + "): run the search again");
  }
  throw UsageError("'" + path +
                   "' is not a Ricercar schedule; a schedule is written by `ricercar run` as "
                   "ricercar-out/bug-1.json");
}

// A schedule is three levels deep. The parser and what it makes go as deep as the text does, and
// would use up the stack.
bool is_deep(const std::string& text) {
  constexpr std::size_t deepest = 16;
  std::size_t depth = 0;
  bool is_string = false;
  for (std::size_t i = 0; i < text.size() && depth <= deepest; ++i) {
    const char character = text[i];
    if (is_string && character == '\\') ++i;
    if (character == '"') is_string = !is_string;
    if (is_string) continue;
    if (character == '[' || character == '{') ++depth;
    if ((character == ']' || character == '}') && depth > 0) --depth;
  }
  return depth > deepest;
}

Json parse(const std::string& path, const std::string& text) {
  if (text.empty()) damaged(path, "it is empty");
  if (is_deep(text)) foreign(path, "");
  Json content = Json::parse(text, nullptr, false);
  if (!content.is_discarded()) return content;
  if (text.find(schema_family) == std::string::npos) foreign(path, "");
  damaged(path, "it is not complete, or was changed");
}

std::string schema_of(const Json& content) {
  if (!content.is_object()) return {};
  const auto found = content.find("schema");
  return found != content.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

Schedule read_schedule(const std::string& path) {
  Json content = parse(path, read_file(path, file_limit));
  if (const std::string found = schema_of(content); found != schema) foreign(path, found);
  const Json stored = content.value("checksum", Json());
  content.erase("checksum");
  if (stored != checksum(content)) damaged(path, "its content does not fit its checksum");
  try {
    return from_json(content);
  } catch (const std::exception& error) {
    damaged(path, error.what());
  }
}

void write_schedule(const std::string& path, const Schedule& schedule) {
  RICERCAR_CHECK(schedule.decisions.size() == schedule.checks.size());
  Json content = to_json(schedule);
  content["checksum"] = checksum(content);
  write_file(path, content.dump(1) + "\n");
}

}  // namespace ricercar::inline model
