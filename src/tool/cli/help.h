// How the help of a sub-command looks, and what is said about a word that nobody knows.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

namespace ricercar::inline cli {

// "Usage: <usage>", the options, then the examples as they are.
void set_help(CLI::App& command, const std::string& usage, const std::string& examples);

// Whether a value follows it; a flag has none.
bool takes_value(const CLI::Option& option);

std::string usage_of(const CLI::App& command);

// A sentence about what is wrong with a command line, with the nearest command or option.
std::string explain_parse_error(const CLI::App& app, const CLI::ParseError& error);

// "; did you mean '--strategy'?", or nothing.
std::string suggest_option(const CLI::App& command, const std::string& option);

// Checks of option values, with messages in words: a whole number, a time in seconds.
CLI::Validator number_validator(std::uint64_t least);
CLI::Validator duration_validator();

// Manual pages in roff, made from the commands and options themselves.
// The page of the tool (`command` is null) or of one of its commands.
std::string man_page(const CLI::App& app, const CLI::App* command);

}  // namespace ricercar::inline cli
