#include "supervisor/launch.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/error.h"
#include "cluster/memory.h"
#include "search/control.h"

extern char** environ;

namespace ricercar::inline supervisor {
namespace {

// The number under which the program inherits the shared memory: far from the numbers that it gets
// for its own files.
constexpr int control_number = 200;
constexpr int cluster_number = 201;

constexpr const char* padding_variable = "RICERCAR_PADDING=";

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (std::string& string : strings) result.push_back(string.data());
  result.push_back(nullptr);
  return result;
}

std::vector<std::string> command_line(const Launch& launch) {
  std::vector<std::string> result = {launch.program};
  result.insert(result.end(), launch.arguments.begin(), launch.arguments.end());
  return result;
}

// The libraries of OpenMP would spin before they wait, where nobody sees it.
void add_openmp_settings(std::vector<std::string>& environment) {
  for (const char* setting : {"GOMP_SPINCOUNT=0", "KMP_BLOCKTIME=0"}) {
    const std::string_view name(setting, std::string_view(setting).find('=') + 1);
    const bool is_set =
        std::any_of(environment.begin(), environment.end(),
                    [name](const std::string& text) { return text.starts_with(name); });
    if (!is_set) environment.emplace_back(setting);
  }
}

std::vector<std::string> inherited_environment() {
  std::vector<std::string> result;
  const std::string control = std::string(control_variable) + "=";
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    if (!text.starts_with(control) && !text.starts_with(padding_variable))
      result.emplace_back(text);
  }
  add_openmp_settings(result);
  return result;
}

// The kernel puts arguments and environment at the top of the stack, so their size moves every
// address of the main thread's stack. A variable of the right length keeps those addresses the
// same in every terminal: strings and pointers together fill a multiple of `unit`.
void pad(std::vector<std::string>& environment, const std::vector<std::string>& arguments,
         const std::string& program) {
  constexpr std::size_t unit = std::size_t{64} << 10;
  // An even number of pointers, so that the kernel's rounding to 16 bytes is always the same.
  if ((environment.size() + arguments.size()) % 2 == 0) environment.emplace_back("RICERCAR_PAIR=");
  environment.emplace_back(padding_variable);
  std::size_t size = program.size() + 1 + 8 * (environment.size() + arguments.size());
  for (const std::string& string : environment) size += string.size() + 1;
  for (const std::string& string : arguments) size += string.size() + 1;
  environment.back().append((unit - size % unit) % unit, '.');
}

void replace(std::vector<std::string>& environment, const std::string& setting) {
  const std::string name = setting.substr(0, setting.find('=') + 1);
  std::erase_if(environment, [&](const std::string& text) { return text.starts_with(name); });
  environment.push_back(setting);
}

std::vector<std::string> worker_environment(const Launch& launch) {
  std::vector<std::string> result = inherited_environment();
  for (const std::string& setting : launch.environment) replace(result, setting);
  if (launch.cluster >= 0) {
    replace(result, std::string(node_variable) + "=" + std::to_string(cluster_number) + ":" +
                        std::to_string(launch.node));
  }
  result.push_back(std::string(control_variable) + "=" + std::to_string(control_number));
  pad(result, command_line(launch), launch.program);
  return result;
}

// What a child that could not become the program tells its parent.
struct Failure {
  enum Stage { randomisation, descriptors, execution } stage;
  int error;
};

bool fix_addresses() {
  const int current = ::personality(0xffffffff);
  if (current < 0 || ::personality(static_cast<unsigned long>(current) | ADDR_NO_RANDOMIZE) < 0) {
    return false;
  }
  // A larger stack limit changes where the kernel maps libraries.
  rlimit limit{};
  constexpr rlim_t largest = rlim_t{64} << 20;
  ::getrlimit(RLIMIT_STACK, &limit);
  if (limit.rlim_cur > largest) {
    limit.rlim_cur = largest;
    ::setrlimit(RLIMIT_STACK, &limit);
  }
  return true;
}

// Copies first, so that none of the three numbers is overwritten before it has been used.
bool place_descriptors(const Launch& launch) {
  const int input = ::fcntl(launch.input, F_DUPFD, control_number + 1);
  const int output = ::fcntl(launch.output, F_DUPFD, control_number + 1);
  const int error = ::fcntl(launch.error, F_DUPFD, control_number + 1);
  const int control = ::fcntl(launch.control, F_DUPFD, control_number + 1);
  if (input < 0 || output < 0 || error < 0 || control < 0) return false;
  const int cluster =
      launch.cluster < 0 ? -1 : ::fcntl(launch.cluster, F_DUPFD, cluster_number + 1);
  if (launch.cluster >= 0 && cluster < 0) return false;
  if (::dup2(input, 0) < 0 || ::dup2(output, 1) < 0 || ::dup2(error, 2) < 0) return false;
  if (::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC) != 0) return false;
  if (cluster >= 0 && ::dup2(cluster, cluster_number) < 0) return false;
  return ::dup2(control, control_number) >= 0;
}

void reset_signals() {
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  ::signal(signal_of_question, SIG_DFL);
}

[[noreturn]] void report(int pipe, Failure::Stage stage) {
  const Failure failure{stage, errno};
  [[maybe_unused]] const auto written = ::write(pipe, &failure, sizeof failure);
  ::_exit(127);
}

[[noreturn]] void run_child(const Launch& launch, pid_t parent, int pipe, char* const* arguments,
                            char* const* environment) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);  // it was killed before it could be watched
  const rlimit no_core{0, 0};               // a core would hold the search's shared memory
  ::setrlimit(RLIMIT_CORE, &no_core);
  if (!fix_addresses()) report(pipe, Failure::randomisation);
  const int kept_pipe = ::fcntl(pipe, F_DUPFD_CLOEXEC, control_number + 1);
  if (kept_pipe < 0 || !place_descriptors(launch)) report(pipe, Failure::descriptors);
  reset_signals();
  if (!launch.folder.empty() && ::chdir(launch.folder.c_str()) != 0) {
    report(kept_pipe, Failure::execution);
  }
  ::execve(launch.program.c_str(), arguments, environment);
  report(kept_pipe, Failure::execution);
}

[[noreturn]] void explain(const Failure& failure, const Launch& launch) {
  const std::string reason = std::strerror(failure.error);
  switch (failure.stage) {
    case Failure::randomisation:
      throw UsageError("cannot switch off address-space randomisation (" + reason +
                       "): a sandbox forbids the personality system call; in Docker, use "
                       "--security-opt seccomp=unconfined");
    case Failure::descriptors:
      throw UsageError("cannot set up the program's descriptors (" + reason +
                       "): allow at least 256 open files with `ulimit -n 256`");
    case Failure::execution:
      break;
  }
  throw UsageError("cannot start '" + launch.program + "': " + reason);
}

std::string shell_quoted(const std::string& text) {
  std::string result = "'";
  for (const char character : text) {
    result += character == '\'' ? std::string("'\\''") : std::string(1, character);
  }
  return result + "'";
}

}  // namespace

pid_t start_worker(const Launch& launch) {
  std::vector<std::string> arguments = command_line(launch);
  std::vector<std::string> environment = worker_environment(launch);
  int pipe[2];
  if (::pipe2(pipe, O_CLOEXEC) != 0) {
    throw UsageError(std::string("cannot make a pipe: ") + std::strerror(errno));
  }
  const std::vector<char*> argument_pointers = pointers(arguments);
  const std::vector<char*> environment_pointers = pointers(environment);
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child == 0) {
    run_child(launch, parent, pipe[1], argument_pointers.data(), environment_pointers.data());
  }
  const int fork_error = errno;
  ::close(pipe[1]);
  Failure failure{};
  const ssize_t got = child > 0 ? ::read(pipe[0], &failure, sizeof failure) : 0;
  ::close(pipe[0]);
  if (child < 0) throw UsageError(std::string("cannot fork: ") + std::strerror(fork_error));
  if (got == sizeof failure) {
    ::waitpid(child, nullptr, 0);
    explain(failure, launch);
  }
  return child;
}

void become_debugger(const Launch& launch, const std::vector<std::string>& commands) {
  // gdb starts the program through a shell, and larger shells add variables of their own.
  ::setenv("SHELL", "/bin/sh", 1);
  std::vector<std::string> environment = worker_environment(launch);
  std::string run_arguments = "set args";
  for (const std::string& argument : launch.arguments)
    run_arguments += " " + shell_quoted(argument);
  // gdb tells the program the size of its window, which would move the stack.
  std::vector<std::string> command = {
      "gdb", "-q",         "-ex", "unset environment LINES", "-ex", "unset environment COLUMNS",
      "-ex", run_arguments};
  for (const std::string& line : commands) {
    command.emplace_back("-ex");
    command.push_back(line);
  }
  command.push_back(launch.program);
  if (!fix_addresses()) explain({Failure::randomisation, errno}, launch);
  if (!place_descriptors(launch)) explain({Failure::descriptors, errno}, launch);
  reset_signals();
  ::execvpe("gdb", pointers(command).data(), pointers(environment).data());
  throw UsageError(
      std::string("cannot start gdb: ") + std::strerror(errno) +
      "; install it, or use `ricercar replay --backend=threads` under another debugger");
}

namespace {

// Who reads from a terminal has to be in the group that has it.
void take_terminal(int input) {
  sigset_t output;
  sigemptyset(&output);
  sigaddset(&output, SIGTTOU);
  ::sigprocmask(SIG_BLOCK, &output, nullptr);
  if (::isatty(input) != 0) ::tcsetpgrp(input, ::getpgrp());
}

}  // namespace

pid_t start_debugger(const Launch& launch, const std::vector<std::string>& commands) {
  const pid_t child = ::fork();
  if (child < 0) throw UsageError(std::string("cannot fork: ") + std::strerror(errno));
  if (child != 0) return child;
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  take_terminal(launch.input);
  try {
    if (!launch.folder.empty() && ::chdir(launch.folder.c_str()) != 0) ::_exit(127);
    become_debugger(launch, commands);
  } catch (const UsageError& error) {
    std::fprintf(stderr, "ricercar: %s\n", error.what());
  }
  ::_exit(127);
}

namespace {

// A pipe that nobody ever writes to or closes is common where no person is: in build systems and
// under remote shells. Waiting for its end would be waiting for ever.
bool has_input(int source) {
  constexpr int patience_ms = 500;
  pollfd ready{source, POLLIN, 0};
  return ::poll(&ready, 1, patience_ms) > 0;
}

int copy_to_memory(int source) {
  const int copy = ::memfd_create("ricercar-input", MFD_CLOEXEC);
  if (copy < 0) throw UsageError(std::string("cannot copy the input: ") + std::strerror(errno));
  char buffer[65536];
  while (true) {
    const ssize_t got = ::read(source, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return copy;
    if (::write(copy, buffer, static_cast<std::size_t>(got)) != got) {
      throw UsageError(std::string("cannot copy the input: ") + std::strerror(errno));
    }
  }
}

}  // namespace

ProgramInput::ProgramInput(int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)) {
    descriptor_ = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
    start_ = ::lseek(descriptor, 0, SEEK_CUR);
  } else if ((S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode)) && has_input(descriptor)) {
    descriptor_ = copy_to_memory(descriptor);
  } else {
    descriptor_ = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  }
  if (descriptor_ < 0) {
    throw UsageError(std::string("cannot open the program's input: ") + std::strerror(errno));
  }
}

ProgramInput::ProgramInput(int descriptor, AsItIs)
    : descriptor_(::fcntl(descriptor, F_DUPFD_CLOEXEC, 3)),
      start_(::lseek(descriptor, 0, SEEK_CUR)) {}

// A copy of the descriptor would have the same place in the file.
ProgramInput ProgramInput::again(const ProgramInput& input) {
  const std::string path = "/proc/self/fd/" + std::to_string(input.descriptor_);
  const int own = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (own < 0) {
    throw UsageError(std::string("cannot open the program's input: ") + std::strerror(errno));
  }
  return {own, input.start_};
}

ProgramInput::~ProgramInput() { ::close(descriptor_); }

int ProgramInput::rewound() const {
  ::lseek(descriptor_, start_, SEEK_SET);
  return descriptor_;
}

}  // namespace ricercar::inline supervisor
