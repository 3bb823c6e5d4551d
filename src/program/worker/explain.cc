#include "worker/explain.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "search/process_facts.h"

namespace ricercar::inline worker {
namespace {

// Beside the library's folder, in the build tree and after an installation.
std::string tool_path() {
  const std::string library = library_folder();
  std::string folder = library;
  while (!folder.empty()) {
    folder = folder.substr(0, folder.rfind('/'));
    const std::string tool = folder + "/bin/ricercar";
    if (access(tool.c_str(), X_OK) == 0) return tool;
  }
  return {};
}

std::string read_to_end(int file) {
  std::string text;
  char buffer[4096];
  for (ssize_t got = 0; (got = read(file, buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(got));
  }
  return text;
}

std::string ask_tool(const char* command, const std::string& argument) {
  const std::string tool = tool_path();
  int ends[2];
  if (tool.empty() || pipe2(ends, O_CLOEXEC) != 0) return {};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  const char* arguments[] = {tool.c_str(), command, argument.c_str(), nullptr};
  pid_t child = 0;
  const int error = posix_spawn(&child, tool.c_str(), &actions, nullptr,
                                const_cast<char* const*>(arguments), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string answer = error == 0 ? read_to_end(ends[0]) : std::string();
  close(ends[0]);
  int status = 0;
  if (error == 0) waitpid(child, &status, 0);
  return answer;
}

}  // namespace

std::string explain(const std::string& schedule_path) { return ask_tool("show", schedule_path); }

std::string uninstrumented_code() { return ask_tool("uninstrumented", own_path()); }

}  // namespace ricercar::inline worker
