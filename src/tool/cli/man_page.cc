#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <sstream>

#include "cli/app.h"
#include "cli/help.h"

namespace ricercar::inline cli {
namespace {

// Backslashes and dashes have a meaning in roff, and so has a dot at the start of a line.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char character : text) {
    if (character == '\\') result += "\\e";
    if (character == '-') result += "\\-";
    if (character != '\\' && character != '-') result += character;
  }
  return result.starts_with(".") || result.starts_with("'") ? "\\&" + result : result;
}

std::string upper_case(std::string text) {
  for (char& character : text) {
    character = static_cast<char>(std::toupper(static_cast<unsigned char>(character)));
  }
  return text;
}

std::string option_entry(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  if (names.empty()) names.push_back(option.get_name());
  std::string head;
  for (const std::string& name : names) {
    head += fmt::format("{}\\fB{}\\fR", head.empty() ? "" : ", ", escaped(name));
  }
  if (takes_value(option) && !option.get_positional() && !option.get_type_name().empty()) {
    head += fmt::format(" \\fI{}\\fR", escaped(option.get_type_name()));
  }
  std::string text = fmt::format(".TP\n{}\n{}.", head, escaped(option.get_description()));
  if (!option.get_default_str().empty()) {
    text += fmt::format(" Default: {}.", escaped(option.get_default_str()));
  }
  return text + "\n";
}

// What a footer says before its first section, for people who read the page from its top.
std::string description_section(const std::string& footer) {
  const std::size_t end = std::min(footer.find("Examples:"), footer.find("Exit status: "));
  std::istringstream lines(footer.substr(0, end));
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    text += line.empty() ? ".PP\n" : escaped(line) + "\n";
  }
  while (text.ends_with(".PP\n")) text.resize(text.size() - 4);
  return text.empty() ? "" : ".SH DESCRIPTION\n" + text;
}

// "Exit status: ..." and "Examples:" become sections; lines that are indented stay as they are.
std::string footer_sections(const std::string& footer) {
  const std::size_t start = std::min(footer.find("Examples:"), footer.find("Exit status: "));
  if (start == std::string::npos) return {};
  std::istringstream lines(footer.substr(start));
  std::string text;
  bool as_is = false;
  for (std::string line; std::getline(lines, line);) {
    const bool is_indented = line.starts_with("  ");
    if (is_indented != as_is) text += is_indented ? ".nf\n" : ".fi\n";
    as_is = is_indented;
    if (line == "Examples:") {
      text += ".SH EXAMPLES\n";
    } else if (line.starts_with("Exit status: ")) {
      text += ".SH EXIT STATUS\n" + escaped(line.substr(13)) + "\n";
    } else if (line.empty()) {
      text += ".PP\n";
    } else {
      text += escaped(line) + "\n";
    }
  }
  if (as_is) text += ".fi\n";
  return text;
}

// The commands in a command, each with its own options.
std::string nested_sections(const CLI::App& command) {
  std::string text;
  for (const CLI::App* nested : commands_of(command)) {
    text += fmt::format(".SH {}\n{}.\n.PP\n{}\n", escaped(upper_case(nested->get_name())),
                        escaped(nested->get_description()), escaped(usage_of(*nested)));
    for (const CLI::Option* option : nested->get_options()) text += option_entry(*option);
  }
  return text;
}

std::string options_section(const CLI::App& app) {
  std::string text = ".SH OPTIONS\n";
  for (const CLI::Option* option : app.get_options()) text += option_entry(*option);
  return text;
}

std::string commands_section(const CLI::App& app) {
  std::string text = ".SH COMMANDS\n";
  for (const CLI::App* command : commands_of(app)) {
    text += fmt::format(".TP\n\\fB{}\\fR\n{}.\n", escaped(command->get_name()),
                        escaped(command->get_description()));
  }
  return text;
}

constexpr const char* environment_section =
    ".SH ENVIRONMENT\n"
    ".TP\n\\fBRICERCAR_CXX\\fR, \\fBRICERCAR_CC\\fR\n"
    "The compilers that \\fBricercar c++\\fR and \\fBricercar cc\\fR start.\n"
    ".TP\n\\fBNO_COLOR\\fR\nNo colours on a terminal.\n";

constexpr const char* files_section =
    ".SH FILES\n"
    ".TP\n\\fIricercar\\-out/bug\\-1.json\\fR\nThe schedule of the first bug of a run.\n"
    ".TP\n\\fIricercar\\-out/bug\\-1.txt\\fR\nIts report.\n";

}  // namespace

std::string man_page(const CLI::App& app, const CLI::App* command) {
  const CLI::App& subject = command == nullptr ? app : *command;
  const std::string name = command == nullptr ? "ricercar" : "ricercar-" + command->get_name();
  std::string description = subject.get_description();
  if (description.ends_with(".")) description.pop_back();
  description[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(description[0])));
  if (command == nullptr) description = "search the schedules of concurrent programs for bugs";
  std::string text =
      fmt::format(".TH {} 1 \"\" \"Ricercar\" \"Ricercar\"\n", escaped(upper_case(name)));
  text += fmt::format(".SH NAME\n{} \\- {}\n", escaped(name), escaped(description));
  text += fmt::format(".SH SYNOPSIS\n{}\n", escaped(usage_of(subject)));
  if (command == nullptr) text += commands_section(app);
  text += description_section(subject.get_footer());
  text += options_section(subject);
  if (command != nullptr) text += nested_sections(*command);
  text += footer_sections(subject.get_footer());
  text += command == nullptr ? std::string(environment_section) + files_section : "";
  text += command == nullptr ? "" : ".SH SEE ALSO\n\\fBricercar\\fR(1)\n";
  return text;
}

}  // namespace ricercar::inline cli
