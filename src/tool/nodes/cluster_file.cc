#include "nodes/cluster_file.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "base/error.h"
#include "base/nearest.h"
#include "cluster/network.h"

namespace ricercar::inline nodes {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view cluster_fields[] = {"node",     "client",         "faults",
                                               "swarm",    "progress",       "properties",
                                               "clean_up", "early_timeouts", "search"};
constexpr std::string_view search_fields[] = {"strategy", "executions", "time",
                                              "seed",     "steps",      "points"};
// By kind.
constexpr std::string_view fault_fields[fault_kinds] = {
    "drop",  "duplicate", "reorder", "delay", "partition",
    "crash", "restart",   "skew",    "disk",  "short"};
constexpr std::string_view node_fields[] = {"name", "command", "environment", "folder"};
constexpr std::size_t longest_name = 63;
constexpr std::int64_t most_steps = 1'000'000'000;

class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path) {}

  ClusterPlan read() {
    const toml::table file = parse();
    require_known(file, cluster_fields, "a cluster");
    plan_.path = path_;
    add_all(file, "node", false);
    if (plan_.nodes.empty()) fail(file, "it has no node: begin with [[node]]");
    add_all(file, "client", true);
    if (plan_.nodes.size() > max_nodes) {
      fail(file, "it has " + std::to_string(plan_.nodes.size()) +
                     " nodes and clients; there is room for " + std::to_string(max_nodes));
    }
    set_faults(file);
    set_phases(file);
    set_properties(file);
    set_clean_up(file);
    set_search(file);
    if (const toml::node* count = file.get("early_timeouts")) {
      plan_.early_timeouts = budget_of(*count, "early_timeouts");
    }
    return std::move(plan_);
  }

 private:
  std::string words_of(const toml::source_position& place) const {
    return path_ + ":" + std::to_string(place.line) + ":" + std::to_string(place.column);
  }
  [[noreturn]] void fail(const toml::source_position& place, const std::string& what) const {
    throw UsageError(words_of(place) + ": " + what);
  }
  [[noreturn]] void fail(const toml::node& node, const std::string& what) const {
    fail(node.source().begin, what);
  }

  toml::table parse() const {
    if (::access(path_.c_str(), R_OK) != 0) {
      throw UsageError("cannot read the cluster file " + ricercar::quoted(path_) +
                       "; `ricercar init --nodes` writes one to begin with");
    }
    try {
      return toml::parse_file(path_);
    } catch (const toml::parse_error& error) {
      fail(error.source().begin, std::string(error.description()));
    }
  }

  void require_known(const toml::table& table, std::span<const std::string_view> known,
                     const std::string& owner) const {
    for (const auto& [key, value] : table) {
      const std::string_view name = key.str();
      if (is_among(known, name)) continue;
      std::string all;
      for (const std::string_view each : known)
        all += (all.empty() ? "" : ", ") + std::string(each);
      fail(key.source().begin, owner + " has no field " + ricercar::quoted(name) +
                                   what_was_meant(name, known) + " (there are: " + all + ")");
    }
  }

  static bool is_among(std::span<const std::string_view> fields, std::string_view name) {
    return std::find(fields.begin(), fields.end(), name) != fields.end();
  }

  // What stands below [[node]] belongs to that node, which is easily overlooked.
  static std::string what_was_meant(std::string_view name,
                                    std::span<const std::string_view> known) {
    const bool is_of_cluster = is_among(known, "node"), is_of_node = is_among(known, "command");
    if (is_of_node && is_among(cluster_fields, name)) {
      return ": it is a field of the cluster, so it has to stand above the first [[node]]";
    }
    if (is_of_cluster && is_among(node_fields, name)) {
      return ": it is a field of a node, so it has to stand below a line [[node]]";
    }
    return did_you_mean(name, known);
  }

  void add_all(const toml::table& file, const char* field, bool are_clients) {
    const toml::node* list = file.get(field);
    if (list == nullptr) return;
    if (!list->is_array_of_tables()) {
      fail(*list, std::string("write [[") + field + "]] above the fields of each " + field);
    }
    for (const toml::node& each : *list->as_array()) add(*each.as_table(), field, are_clients);
  }

  void add(const toml::table& table, const std::string& what, bool is_client) {
    require_known(table, node_fields, "a " + what);
    NodePlan node;
    node.is_client = is_client;
    node.name = name_of(table, what);
    node.folder = folder_of(table);
    node.has_own_folder = table.contains("folder");
    set_command(table, what, node);
    add_environment(table, node);
    plan_.nodes.push_back(std::move(node));
  }

  std::string text_of(const toml::node& value, const std::string& field) const {
    if (const auto text = value.value_exact<std::string>()) return *text;
    fail(value, field + " is a text in quotes");
  }

  std::string name_of(const toml::table& table, const std::string& what) const {
    const toml::node* value = table.get("name");
    if (value == nullptr) fail(table, "a " + what + " needs a name: name = \"...\"");
    const std::string name = text_of(*value, "name");
    const bool is_plain = std::all_of(name.begin(), name.end(), [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '.' || c == '_';
    });
    if (name.empty() || name.size() > longest_name || !is_plain) {
      fail(*value, "a name is also a host name: letters, digits, '-', '.' and '_', at most " +
                       std::to_string(longest_name));
    }
    if (name == "localhost") {
      fail(*value, "'localhost' is what every node calls itself: take another name");
    }
    if (name.find_first_not_of("0123456789.") == std::string::npos) {
      fail(*value, "a name of digits and dots is read as an address: begin with a letter");
    }
    for (const NodePlan& other : plan_.nodes) {
      if (other.name == name)
        fail(*value, "there are two nodes with the name " + ricercar::quoted(name));
    }
    return name;
  }

  // Paths are meant from where the file is.
  std::string from_here(const std::string& path) const {
    return fs::absolute(fs::path(path_).parent_path() / path).lexically_normal();
  }
  std::string path_of(const toml::node& value, const std::string& field) const {
    const std::string path = text_of(value, field);
    if (path.empty()) fail(value, field + " is empty");
    return from_here(path);
  }

  std::string folder_of(const toml::table& table) const {
    const toml::node* value = table.get("folder");
    if (value == nullptr) return from_here(".");
    const std::string folder = path_of(*value, "folder");
    if (!fs::is_directory(folder)) fail(*value, "there is no folder " + ricercar::quoted(folder));
    return folder;
  }

  void set_command(const toml::table& table, const std::string& what, NodePlan& node) const {
    const toml::node* value = table.get("command");
    if (value == nullptr) {
      fail(table, "the " + what + " " + ricercar::quoted(node.name) +
                      " needs a command: command = [\"./program\", \"argument\"]");
    }
    node.arguments = words_of(*value, "command");
    node.program = node.arguments.front();
    node.arguments.erase(node.arguments.begin());
  }

  // The program and its arguments.
  std::vector<std::string> words_of(const toml::node& value, const std::string& field) const {
    const toml::array* list = value.as_array();
    if (list == nullptr || list->empty()) {
      fail(value, field + " is a list of texts: [\"./program\", \"argument\"]");
    }
    std::vector<std::string> words;
    for (const toml::node& word : *list) {
      words.push_back(text_of(word, "each word of a command"));
    }
    const bool is_bare = words.front().find('/') == std::string::npos;
    words.front() = path_of(list->front(), "the program of a command");
    require_program(list->front(), words.front(), is_bare);
    return words;
  }

  void require_program(const toml::node& value, const std::string& path, bool is_bare) const {
    const std::string name = ricercar::quoted(path);
    if (fs::is_directory(path)) fail(value, name + " is a folder, not a program");
    if (!fs::exists(path)) {
      fail(value, "there is no program " + name +
                      (is_bare ? ": it is looked for beside this file, not in the PATH" : ""));
    }
    if (::access(path.c_str(), X_OK) != 0) {
      fail(value, name + " may not be executed: chmod +x, if it is a program");
    }
  }

  void set_clean_up(const toml::table& file) {
    const toml::node* value = file.get("clean_up");
    if (value == nullptr) return;
    plan_.clean_up = words_of(*value, "clean_up");
    plan_.folder = from_here(".");
  }

  void set_search(const toml::table& file) {
    const toml::node* value = file.get("search");
    if (value == nullptr) return;
    const toml::table* table = value->as_table();
    if (table == nullptr) {
      fail(*value, "search is a table: { strategy = \"pos\", executions = 1000 }");
    }
    require_known(*table, search_fields, "search");
    for (const auto& [key, field] : *table) {
      plan_.search.push_back(
          {std::string(key.str()), option_of(field, key.str()), words_of(field.source().begin)});
    }
  }

  // As it would stand on the command line.
  std::string option_of(const toml::node& value, std::string_view name) const {
    if (const auto text = value.value_exact<std::string>()) return *text;
    if (const auto number = value.value_exact<std::int64_t>()) return std::to_string(*number);
    if (const auto number = value.value_exact<double>()) return fmt::format("{}", *number);
    fail(value, std::string(name) + " is a number or a text in quotes, as --" + std::string(name) +
                    " of `ricercar run`");
  }

  void set_faults(const toml::table& file) {
    const toml::node* value = file.get("faults");
    if (value == nullptr) return;
    const toml::table* table = value->as_table();
    if (table == nullptr) fail(*value, "faults is a table: { crash = 1, restart = 1 }");
    require_known(*table, fault_fields, "faults");
    for (std::size_t i = 0; i < fault_kinds; ++i) {
      const toml::node* number = table->get(fault_fields[i]);
      if (number != nullptr) {
        plan_.faults[static_cast<FaultKind>(i)] = budget_of(*number, fault_fields[i]);
      }
    }
    if (plan_.faults[FaultKind::restart] > 0 && plan_.faults[FaultKind::crash] == 0) {
      fail(*table->get("restart"),
           "what has not crashed does not start again: faults = { crash = 1, restart = 1 }");
    }
  }

  void set_phases(const toml::table& file) {
    if (const toml::node* swarm = file.get("swarm")) {
      const auto is_on = swarm->value_exact<bool>();
      if (!is_on) fail(*swarm, "swarm is true or false");
      if (*is_on && !file.contains("faults")) {
        fail(*swarm, "swarm leaves out some of the faults, and there are none: faults = {...}");
      }
      plan_.is_swarm = *is_on;
    }
    if (const toml::node* progress = file.get("progress")) {
      const auto steps = progress->value_exact<std::int64_t>();
      if (!steps || *steps < 1 || *steps > most_steps) {
        fail(*progress,
             "progress is the number of steps in which clients must end once "
             "everything was healed: a number from 1 to " +
                 std::to_string(most_steps));
      }
      plan_.progress = static_cast<std::uint32_t>(*steps);
    }
  }

  void set_properties(const toml::table& file) {
    const toml::node* value = file.get("properties");
    if (value == nullptr) return;
    plan_.properties = path_of(*value, "properties");
    if (!fs::is_regular_file(plan_.properties)) {
      fail(*value, "there is no file " + ricercar::quoted(plan_.properties) +
                       "; it holds C++ functions, see ricercar/properties.h");
    }
  }

  std::uint32_t budget_of(const toml::node& value, std::string_view name) const {
    constexpr std::int64_t most = 1000;
    const auto number = value.value_exact<std::int64_t>();
    if (!number || *number < 0 || *number > most) {
      fail(value, std::string(name) +
                      " is how often that may happen in one execution: a number from 0 to " +
                      std::to_string(most));
    }
    return static_cast<std::uint32_t>(*number);
  }

  void add_environment(const toml::table& table, NodePlan& node) const {
    const toml::node* value = table.get("environment");
    if (value == nullptr) return;
    const toml::table* pairs = value->as_table();
    if (pairs == nullptr) fail(*value, "environment is a table: { NAME = \"value\" }");
    for (const auto& [key, text] : *pairs) {
      if (key.str().empty() || key.str().find('=') != std::string_view::npos) {
        fail(key.source().begin, "the name of a variable is not empty and has no '='");
      }
      node.environment.push_back(std::string(key.str()) + "=" + text_of(text, "a value"));
    }
  }

  std::string path_;
  ClusterPlan plan_;
};

}  // namespace

ClusterPlan read_cluster(const std::string& path) { return Reader(path).read(); }

}  // namespace ricercar::inline nodes
