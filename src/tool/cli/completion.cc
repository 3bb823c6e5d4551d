// `ricercar completion`: scripts for shells, made from the commands and options themselves.
#include <fmt/format.h>

#include "base/error.h"
#include "cli/app.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "strategy/registry.h"

namespace ricercar::inline cli {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::vector<std::string> long_options(const CLI::App& command) {
  std::vector<std::string> result;
  for (const CLI::Option* option : options_of(command)) {
    for (const std::string& name : option->get_lnames()) result.push_back("--" + name);
  }
  return result;
}

std::string command_words(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands_of(app)) names.push_back(command->get_name());
  return joined(names);
}

std::string strategy_names() {
  std::vector<std::string> names;
  for (const StrategyInfo& strategy : strategies()) names.emplace_back(strategy.name);
  return joined(names);
}

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char character : text) {
    result += character == '\'' ? std::string("'\\''") : std::string(1, character);
  }
  return result + "'";
}

std::string bash_script(const CLI::App& app) {
  std::string cases;
  for (const CLI::App* command : commands_of(app)) {
    cases += fmt::format("    {}) words={} nested={} ;;\n", command->get_name(),
                         quoted(joined(long_options(*command))), quoted(command_words(*command)));
  }
  return fmt::format(
      "# Completion of ricercar for bash: source <(ricercar completion bash)\n"
      "_ricercar() {{\n"
      "  local current=\"${{COMP_WORDS[COMP_CWORD]}}\" previous=\"${{COMP_WORDS[COMP_CWORD-1]}}\"\n"
      "  local words='' nested=''\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W {} -- \"$current\"))\n"
      "    return\n"
      "  fi\n"
      "  if [ \"$previous\" = --strategy ] || [ \"$previous\" = -s ]; then\n"
      "    COMPREPLY=($(compgen -W {} -- \"$current\"))\n"
      "    return\n"
      "  fi\n"
      "  case \"${{COMP_WORDS[1]}}\" in\n{}  esac\n"
      "  if [ \"$COMP_CWORD\" -eq 2 ] && [ -n \"$nested\" ]; then\n"
      "    COMPREPLY=($(compgen -W \"$nested\" -- \"$current\"))\n"
      "    return\n"
      "  fi\n"
      "  case \"$current\" in\n"
      "    -*) COMPREPLY=($(compgen -W \"$words\" -- \"$current\")) ;;\n"
      "    *) COMPREPLY=($(compgen -f -- \"$current\")) ;;\n"
      "  esac\n"
      "}}\n"
      "complete -o filenames -F _ricercar ricercar\n",
      quoted(command_words(app)), quoted(strategy_names()), cases);
}

// One line of _arguments: '--strategy[How to search]:value:_files'.
std::string zsh_option(const CLI::Option& option, const std::string& name) {
  std::string description;
  for (const char character : option.get_description()) {
    if (character == '[' || character == ']' || character == ':') description += '\\';
    description += character;
  }
  std::string value;
  if (takes_value(option)) {
    value = name == "strategy" ? ":strategy:(" + strategy_names() + ")" : ":value:_files";
  }
  return quoted(fmt::format("--{}[{}]{}", name, description, value));
}

std::string zsh_script(const CLI::App& app) {
  std::string commands;
  std::string cases;
  for (const CLI::App* command : commands_of(app)) {
    commands +=
        fmt::format("    {}\n", quoted(command->get_name() + ":" + command->get_description()));
    cases += fmt::format("    {})\n      _arguments", command->get_name());
    for (const CLI::Option* option : options_of(*command)) {
      for (const std::string& name : option->get_lnames()) {
        cases += " \\\n        " + zsh_option(*option, name);
      }
    }
    if (const std::string nested = command_words(*command); !nested.empty()) {
      cases += " \\\n        " + quoted("1:command:(" + nested + ")");
    }
    cases += " \\\n        '*:file:_files'\n      ;;\n";
  }
  return fmt::format(
      "#compdef ricercar\n"
      "# Completion of ricercar for zsh: ricercar completion zsh > a folder of $fpath/_ricercar\n"
      "_ricercar() {{\n"
      "  local -a commands\n"
      "  commands=(\n{}  )\n"
      "  if (( CURRENT == 2 )); then\n"
      "    _describe command commands\n"
      "    return\n"
      "  fi\n"
      "  local command=\"$words[2]\"\n"
      "  shift words\n"
      "  (( CURRENT-- ))\n"
      "  case \"$command\" in\n{}  esac\n"
      "}}\n"
      "if [ \"$funcstack[1]\" = _ricercar ]; then _ricercar \"$@\"; else compdef _ricercar "
      "ricercar; "
      "fi\n",
      commands, cases);
}

std::string fish_script(const CLI::App& app) {
  std::string text =
      "# Completion of ricercar for fish: ricercar completion fish | source\n"
      "complete -c ricercar -n __fish_use_subcommand -f\n";
  for (const CLI::App* command : commands_of(app)) {
    text += fmt::format("complete -c ricercar -n __fish_use_subcommand -a {} -d {}\n",
                        quoted(command->get_name()), quoted(command->get_description()));
    if (const std::string nested = command_words(*command); !nested.empty()) {
      const std::string none_yet =
          fmt::format("__fish_seen_subcommand_from {}; and not __fish_seen_subcommand_from {}",
                      command->get_name(), nested);
      text +=
          fmt::format("complete -c ricercar -n {} -f -a {}\n", quoted(none_yet), quoted(nested));
    }
    const std::string condition = quoted("__fish_seen_subcommand_from " + command->get_name());
    for (const CLI::Option* option : options_of(*command)) {
      for (const std::string& name : option->get_lnames()) {
        const std::string values = name == "strategy"     ? " -x -a " + quoted(strategy_names())
                                   : takes_value(*option) ? " -r"
                                                          : "";
        text += fmt::format("complete -c ricercar -n {} -l {} -d {}{}\n", condition, name,
                            quoted(option->get_description()), values);
      }
    }
  }
  return text;
}

}  // namespace

std::string completion_script(const CLI::App& app, const std::string& shell) {
  if (shell == "bash") return bash_script(app);
  if (shell == "zsh") return zsh_script(app);
  if (shell == "fish") return fish_script(app);
  throw UsageError(
      fmt::format("there is no completion for '{}'; there is one for bash, zsh and fish", shell));
}

void add_completion(CLI::App& app, Invocation& invocation) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("completion", "Print a completion script for a shell");
  command->add_option("SHELL", *shell, "bash, zsh or fish")->required();
  set_help(*command, "ricercar completion bash|zsh|fish",
           R"(Examples:
  source <(ricercar completion bash)
  ricercar completion zsh > ~/.zfunc/_ricercar
  ricercar completion fish > ~/.config/fish/completions/ricercar.fish
)");
  command->callback([&app, shell, &invocation] {
    fmt::print("{}", completion_script(app, *shell));
    invocation.status = exit_ok;
  });
}

}  // namespace ricercar::inline cli
