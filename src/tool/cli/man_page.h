// Manual pages in roff, made from the commands and options themselves.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace ricercar::inline cli {

// The page of the tool (`command` is null) or of one of its commands.
std::string man_page(const CLI::App& app, const CLI::App* command);

}  // namespace ricercar::inline cli
