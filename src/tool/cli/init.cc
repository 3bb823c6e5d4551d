// `ricercar init`: writes a file to begin with.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <memory>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/help.h"

namespace ricercar::inline cli {
namespace {

namespace fs = std::filesystem;

// It can be used as it is once the two programs are there.
constexpr const char* cluster_text =
    R"(# A cluster for `ricercar run --nodes cluster.toml`: real processes under one schedule. The programs are compiled with
# `ricercar c++` (or `ricercar cc`) and need no change. Paths are meant from where this file is.

# How often things may go wrong in one execution. Without this line nothing does.
# faults = { drop = 1, duplicate = 1, reorder = 1, delay = 1, partition = 1, crash = 1, restart = 1, skew = 1, disk = 1, short = 1 }
# swarm = true               # only some of these kinds in each execution, another choice each time
# progress = 2000            # then everything is healed, and all clients must end within so many steps

# How often in one execution a time limit may pass although a message is on its way or somebody could go on. Without
# this line there is no limit, and a system that lives by time limits comes to nothing else. Clients that come late, when the
# system has settled, count as one.
# early_timeouts = 3

# What must hold for the values that the nodes report: C++ functions in a file of their own.
# properties = "properties.cc"

# A command that is run before every execution, for what is outside the nodes and their files.
# clean_up = ["./clean-up", "argument"]

# How to search, unless the command line says otherwise: strategy, executions, time (seconds), seed, steps of one execution,
# points. Each is the option of `ricercar run` with that name.
# search = { strategy = "pos", executions = 1000, steps = 5000 }

[[node]]                     # as many as there are servers
name = "server"              # also its host name: getaddrinfo("server", ...) finds it
command = ["./server"]       # the program and its arguments
# folder = "server"          # where it runs; the folder has to be there
# environment = { LEVEL = "2" }

[[client]]                   # the same fields; it does not crash, and an execution is over when all clients have ended
name = "client"
command = ["./client", "server"]
)";

void write_cluster(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  const fs::path path = fs::path(folder) / "cluster.toml";
  if (fs::exists(path)) {
    throw UsageError("there is a file " + ricercar::quoted(path.string()) +
                     " already; name another folder: ricercar init --nodes FOLDER");
  }
  std::ofstream file(path);
  file << cluster_text;
  file.close();
  if (!file) throw UsageError("cannot write " + ricercar::quoted(path.string()));
  fmt::print("{} is written. Put your programs into it, then: ricercar run --nodes {}\n",
             path.string(), path.string());
}

}  // namespace

void add_init(CLI::App& app, Invocation& invocation) {
  struct Wanted {
    bool nodes = false;
    std::string folder = ".";
  };
  auto wanted = std::make_shared<Wanted>();
  CLI::App* command = app.add_subcommand("init", "Write a file to begin with");
  command->add_flag("--nodes", wanted->nodes, "A cluster of processes, with all fields explained");
  command->add_option("FOLDER", wanted->folder, "Where to write it (here)");
  set_help(*command, "ricercar init --nodes [FOLDER]",
           R"(Examples:
  ricercar init --nodes
  ricercar init --nodes my-cluster
  ricercar run --nodes my-cluster/cluster.toml
)");
  command->callback([wanted, &invocation] {
    if (!wanted->nodes) throw UsageError("say what to write: ricercar init --nodes [FOLDER]");
    write_cluster(wanted->folder);
    invocation.status = exit_ok;
  });
}

}  // namespace ricercar::inline cli
