// All commands of the tool in one object: what main parses, what the completion and the manual
// pages are made from.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <vector>

#include "cli/commands.h"

namespace ricercar::inline cli {

// The invocation must outlive the result.
std::unique_ptr<CLI::App> make_app(Invocation& invocation);

// Parses a command line, without the tool's name, and runs the command. Throws CLI::ParseError and
// UsageError.
void parse_and_run(CLI::App& app, Invocation& invocation, std::vector<std::string> arguments);

std::vector<const CLI::App*> commands_of(const CLI::App& app);

// Of a command and the commands in it, each name once.
std::vector<const CLI::Option*> options_of(const CLI::App& command);

}  // namespace ricercar::inline cli
