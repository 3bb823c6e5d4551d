#include "report/named_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <span>
#include <string_view>

namespace ricercar::inline report {
namespace {

bool is_of_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// The values between a bracket at `start` and the one that closes it.
struct List {
  std::vector<std::string> values;
  std::size_t end = 0;  // behind the closing bracket
};

std::optional<List> list_at(const std::string& text, std::size_t start) {
  List list;
  std::string open;  // brackets
  bool is_quoted = false;
  std::size_t value = start + 1;
  for (std::size_t i = start; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') is_quoted = !is_quoted;
    if (is_quoted) continue;
    if (c == '{' || c == '[' || c == '(') open += c;
    const bool is_comma = c == ',' && open.size() == 1;
    const bool closes = c == '}' || c == ']' || c == ')';
    if (is_comma || (closes && open.size() == 1)) {
      list.values.push_back(text.substr(value, i - value));
      value = i + 2;  // behind ", "
    }
    if (!closes) continue;
    const std::size_t kind = std::string_view("{[(").find(open.back());
    if (std::string_view("}])")[kind] != c) return std::nullopt;
    open.pop_back();
    if (!open.empty()) continue;
    list.end = i + 1;
    return list;
  }
  return std::nullopt;
}

std::string named_value(const std::string& value, const DataMember& field, Symbols& symbols) {
  for (const auto& [number, name] : field.enumerators) {
    if (value == std::to_string(number)) return name;
  }
  return with_field_names(value, symbols);
}

std::string named_list(const List& list, const std::vector<DataMember>& fields, Symbols& symbols) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < list.values.size(); ++i) {
    words.push_back(fields[i].name + " = " + named_value(list.values[i], fields[i], symbols));
  }
  return fmt::format("{{{}}}", fmt::join(words, ", "));
}

}  // namespace

std::string with_field_names(const std::string& text, const std::string& type, Symbols& symbols) {
  const std::optional<List> list = text.starts_with('{') ? list_at(text, 0) : std::nullopt;
  if (!list || list->end != text.size()) return text;
  const std::vector<DataMember> fields = symbols.fields(type);
  return fields.size() == list->values.size() ? named_list(*list, fields, symbols) : text;
}

std::string with_field_names(const std::string& text, Symbols& symbols) {
  std::string result;
  bool is_quoted = false;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '"') is_quoted = !is_quoted;
    const bool begins_name =
        !is_quoted && is_of_name(text[i]) && (i == 0 || !is_of_name(text[i - 1]));
    std::size_t end = i;
    while (begins_name && end < text.size() && is_of_name(text[end])) ++end;
    const bool is_class = begins_name && end < text.size() && text[end] == '{';
    const std::optional<List> list = is_class ? list_at(text, end) : std::nullopt;
    if (!list) {
      result += text[i++];
      continue;
    }
    const std::string type = text.substr(i, end - i);
    result += type + with_field_names(text.substr(end, list->end - end), type, symbols);
    i = list->end;
  }
  return result;
}

NamedStory::NamedStory(const Recording& recording, Symbols& symbols)
    : symbols_(symbols),
      recording_(recording),
      acts_(recording.acts.begin(), recording.acts.end()),
      machines_(recording.machines.begin(), recording.machines.end()),
      conditions_(recording.conditions.begin(), recording.conditions.end()) {
  if (recording.world != WorldKind::machines) return;
  for (RecordedAct& act : acts_) act.event = named(act.event);
  std::map<std::uint32_t, std::string> types;
  for (RecordedMachine& machine : machines_) {
    const std::string name = machine.name;
    const std::string& type = types[machine.number] = name.substr(0, name.rfind('#'));
    machine.variables = keep(with_field_names(machine.variables, type, symbols_));
    machine.waiting = named(machine.waiting);
  }
  for (RecordedCondition& condition : conditions_) {
    const std::string& type = types[condition.machine];
    condition.variables = keep(with_field_names(condition.variables, type, symbols_));
  }
  if (recording.outcome.kind == OutcomeKind::unhandled_event) {
    const std::string message = with_field_names(recording.outcome.message, symbols_);
    std::span<char> place(recording_.outcome.message);
    if (message.size() < place.size())
      *std::copy(message.begin(), message.end(), place.begin()) = 0;
  }
  recording_.acts = {acts_.data(), acts_.size()};
  recording_.machines = {machines_.data(), machines_.size()};
  recording_.conditions = {conditions_.data(), conditions_.size()};
}

const char* NamedStory::named(const char* text) { return keep(with_field_names(text, symbols_)); }

const char* NamedStory::keep(const std::string& text) { return texts_.emplace_back(text).c_str(); }

}  // namespace ricercar::inline report
