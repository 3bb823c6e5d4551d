#include "cli/help.h"

#include <charconv>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "base/nearest.h"

namespace ricercar::inline cli {
namespace {

class HelpFormatter : public CLI::Formatter {
 public:
  explicit HelpFormatter(std::string usage) : usage_(std::move(usage)) { column_width(28); }

  const std::string& usage() const { return usage_; }

  std::string make_usage(const CLI::App*, std::string) const override {
    return "\nUsage: " + usage_ + "\n";
  }
  // "FLOAT:POSITIVE" and the like say less than the words of the option.
  std::string make_option_opts(const CLI::Option* option) const override {
    if (!takes_value(*option)) return {};
    const std::string type = option->get_type_name();
    std::string text = type.empty() ? "" : " " + type.substr(0, type.find(':'));
    if (!option->get_default_str().empty()) text += " [" + option->get_default_str() + "]";
    return text;
  }

 private:
  std::string usage_;
};

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::vector<std::string_view> views(const std::vector<std::string>& words) {
  return {words.begin(), words.end()};
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

// The command that was given, with the commands in it that were given.
const CLI::App& innermost_command(const CLI::App& app) {
  const std::vector<CLI::App*> given = app.get_subcommands();
  return given.empty() ? app : innermost_command(*given.front());
}

// "ricercar hapset merge"
std::string full_name(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return (parent == nullptr ? "" : full_name(*parent) + " ") + command.get_name();
}

std::vector<std::string> rest_of(const CLI::App& app) {
  std::vector<std::string> rest = app.remaining();
  for (const CLI::App* command : app.get_subcommands()) {
    const std::vector<std::string> more = rest_of(*command);
    rest.insert(rest.end(), more.begin(), more.end());
  }
  return rest;
}

std::string unknown_word(const CLI::App& app, const std::string& word) {
  const CLI::App& command = innermost_command(app);
  const std::string name = full_name(command);
  const std::string help = " (" + name + " --help)";
  const std::vector<std::string> commands = command_names(command);
  if (!commands.empty() && !word.starts_with("-")) {
    const std::string words = &command == &app ? word : command.get_name() + " " + word;
    return "there is no command '" + words + "'" + did_you_mean(word, views(commands)) + help;
  }
  const std::string suggestion = suggest_option(command, word) + help;
  if (&command == &app) return "there is no option '" + word + "'" + suggestion;
  const std::string kind = word.starts_with("-") ? "option" : "argument";
  return "`" + name + "` has no " + kind + " '" + word + "'" + suggestion;
}

std::string check_number(const std::string& text, std::uint64_t least) {
  std::uint64_t number = 0;
  const char* last = text.data() + text.size();
  const auto [end, problem] = std::from_chars(text.data(), last, number);
  if (problem == std::errc() && end == last && number >= least) return {};
  return "a whole number from " + std::to_string(least) + " on is wanted, not '" + text + "'";
}

std::string check_duration(const std::string& text) {
  char* end = nullptr;
  const double seconds = std::strtod(text.c_str(), &end);
  if (!text.empty() && *end == '\0' && seconds > 0 && seconds < 1e9) return {};
  return "a number of seconds greater than 0 is wanted, not '" + text + "'";
}

}  // namespace

CLI::Validator number_validator(std::uint64_t least) {
  return CLI::Validator([least](std::string& text) { return check_number(text, least); }, "");
}
CLI::Validator duration_validator() { return CLI::Validator(check_duration, ""); }

void set_help(CLI::App& command, const std::string& usage, const std::string& examples) {
  command.formatter(std::make_shared<HelpFormatter>(usage));
  command.footer(examples);
}

// A flag is an option that expects nothing; its type still has the size of one value.
bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

std::string usage_of(const CLI::App& command) {
  const auto* formatter = dynamic_cast<const HelpFormatter*>(command.get_formatter().get());
  return formatter == nullptr ? command.get_name() : formatter->usage();
}

std::string suggest_option(const CLI::App& command, const std::string& option) {
  const std::vector<std::string> names = option_names(command);
  return did_you_mean(option.substr(0, option.find('=')), views(names));
}

std::string explain_parse_error(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<std::string> rest = rest_of(app);
  const bool is_about_words =
      dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr || app.get_subcommands().empty();
  if (is_about_words && !rest.empty()) return unknown_word(app, rest[0]);
  return error.what();
}

}  // namespace ricercar::inline cli
