// What a compiler has to be told so that a program comes under control. Pure: turns one command
// line into the commands to run. Instrumentation is for compiling only; at link time Ricercar's
// runtime takes the place of the sanitizer's, so a command that does both is split.
#pragma once

#include <string>
#include <vector>

#include "model/worlds.h"

namespace ricercar::inline cli {

using Command = std::vector<std::string>;

struct Toolchain {
  std::string compiler;  // what is started in our place
  bool is_clang = false;
  bool is_cxx = true;
  bool notes_blocks = false;  // every basic block tells that it is run through
  WorldKind world = WorldKind::threads;
  std::string include_folder;   // holds ricercar/ricercar.h
  std::string library_folder;   // holds libricercar.so and its like
  bool has_network = false;     // libricercar_network.a, for programs of machines
  std::string program_archive;  // linked whole into every C++ program; empty: none
  std::string scratch_folder;   // for the objects of a command that compiles and links
};

// Throws UsageError for what cannot be brought under control (-static, -m32, other sanitizers).
std::vector<Command> plan_commands(const Toolchain& toolchain, const Command& arguments);

// Replaces every @file by the arguments in that file, as the compilers do.
Command expand_response_files(const Command& arguments);

}  // namespace ricercar::inline cli
