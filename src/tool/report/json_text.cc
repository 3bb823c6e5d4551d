#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/json.h"

namespace ricercar::inline report {
namespace {

using Json = nlohmann::ordered_json;

std::string on_one_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool is_flat(const Json& json, bool in_details) {
  if (!json.is_structured() || json.empty()) return true;
  const bool is_list = json.is_array();
  return std::all_of(json.begin(), json.end(), [&](const Json& each) {
    return in_details ? !each.is_structured() : is_list && each.is_number();
  });
}

void add(std::string& text, const Json& json, std::size_t indent, bool in_details) {
  if (is_flat(json, in_details)) {
    text += on_one_line(json);
    return;
  }
  const bool is_object = json.is_object();
  text += is_object ? "{" : "[";
  const std::string start = "\n" + std::string(indent + 2, ' ');
  const char* separator = "";
  for (const auto& item : json.items()) {
    text += separator + start;
    if (is_object) text += on_one_line(item.key()) + ": ";
    add(text, item.value(), indent + 2, in_details || (is_object && item.key() == "details"));
    separator = ",";
  }
  text += "\n" + std::string(indent, ' ') + (is_object ? "}" : "]");
}

}  // namespace

std::string json_text(const Json& json) {
  std::string text;
  add(text, json, 0, json.value("schema", "").starts_with("ricercar.bug/"));
  return text + "\n";
}

}  // namespace ricercar::inline report
