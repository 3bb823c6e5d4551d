#include "support/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>

namespace ricercar::test {
namespace {

constexpr int cannot_start = 126;

double now_seconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

[[noreturn]] void give_up(const std::string& what) {
  throw std::runtime_error(what + ": " + std::strerror(errno));
}

int open_output(const std::string& file, const char* name) {
  const int descriptor = file.empty() ? memfd_create(name, MFD_CLOEXEC)
                                      : open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0) give_up("cannot open " + (file.empty() ? name : file));
  return descriptor;
}

std::string read_all(int descriptor) {
  std::string text;
  char buffer[1 << 16];
  ssize_t count;
  off_t offset = 0;
  while ((count = pread(descriptor, buffer, sizeof buffer, offset)) > 0) {
    text.append(buffer, static_cast<std::size_t>(count));
    offset += count;
  }
  return text;
}

[[noreturn]] void become(const Command& command, int output, int error) {
  setpgid(0, 0);
  const int input = open("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2(input, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(error, STDERR_FILENO);
  if (!command.folder.empty() && chdir(command.folder.c_str()) != 0) _exit(cannot_start);
  if (command.largest_file_bytes) {
    const rlimit limit{*command.largest_file_bytes, *command.largest_file_bytes};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  std::vector<char*> words;
  for (const std::string& word : command.words) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execv(words[0], words.data());
  std::perror(words[0]);
  _exit(cannot_start);
}

bool ends_within(pid_t child, double seconds) {
  pollfd entry{static_cast<int>(syscall(SYS_pidfd_open, child, 0)), POLLIN, 0};
  if (entry.fd < 0) give_up("cannot watch a process");
  const int ready = poll(&entry, 1, static_cast<int>(seconds * 1000));
  close(entry.fd);
  return ready > 0;
}

struct ProcessTime {
  pid_t parent = 0;
  double seconds = 0;
};

// From the line of /proc/PID/stat; nothing: the process has gone meanwhile.
std::optional<ProcessTime> time_from(const std::string& line) {
  const std::size_t name_end = line.rfind(')');  // the name may hold anything
  if (name_end == std::string::npos) return std::nullopt;
  ProcessTime time;
  unsigned long user = 0, system = 0;
  const char* format = " %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu";
  if (std::sscanf(line.c_str() + name_end + 1, format, &time.parent, &user, &system) != 3)
    return std::nullopt;
  time.seconds = static_cast<double>(user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
  return time;
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

// Of a process and all that it has started, directly or not.
double processor_seconds_of(pid_t root) {
  std::map<pid_t, ProcessTime> all;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const pid_t process = std::atoi(entry.path().filename().c_str());
    if (process == 0) continue;
    std::ifstream file(entry.path() / "stat");
    std::string line;
    if (!std::getline(file, line)) continue;
    if (const auto time = time_from(line)) all[process] = *time;
  }
  double seconds = 0;
  for (const auto& [process, time] : all) {
    pid_t ancestor = process;
    while (ancestor != root && all.contains(ancestor)) ancestor = all[ancestor].parent;
    if (ancestor == root) seconds += time.seconds;
  }
  return seconds;
}

}  // namespace

Process::Process(Command command)
    : command_(std::move(command)),
      output_(open_output(command_.output_file, "standard output")),
      error_(open_output("", "standard error")),
      started_(now_seconds()),
      child_(fork()) {
  if (child_ < 0) give_up("cannot fork");
  if (child_ == 0) become(command_, output_, error_);
  setpgid(child_, child_);
}

Process::~Process() {
  if (child_ > 0) wait();
  close(output_);
  close(error_);
}

void Process::signal(int number) { kill(child_, number); }
void Process::signal_group(int number) { kill(-child_, number); }

bool Process::ends_in_time() {
  if (!command_.processor_seconds) return ends_within(child_, command_.timeout_seconds);
  constexpr double look_again = 0.1;
  bool is_asked = false;
  while (now_seconds() - started_ < command_.timeout_seconds) {
    if (ends_within(child_, look_again)) return true;
    if (is_asked || processor_seconds_of(child_) < *command_.processor_seconds) continue;
    signal_group(SIGINT);
    is_asked = true;
  }
  return false;
}

Finished Process::wait() {
  Finished finished;
  finished.timed_out = !ends_in_time();
  if (finished.timed_out) signal_group(SIGKILL);
  int status = 0;
  rusage usage{};
  while (wait4(child_, &status, 0, &usage) < 0 && errno == EINTR) continue;
  child_ = -1;
  finished.seconds = now_seconds() - started_;
  finished.processor_seconds = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
  finished.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (command_.output_file.empty()) finished.output = read_all(output_);
  finished.error = read_all(error_);
  return finished;
}

Finished run(Command command) { return Process(std::move(command)).wait(); }

std::string describe(const Command& command, const Finished& finished) {
  std::string text = "$";
  for (const std::string& word : command.words) text += " " + word;
  text += "\n" + finished.output + finished.error;
  if (!text.ends_with('\n')) text += '\n';
  text += finished.timed_out ? "[did not end in time"
                             : "[exit status " + std::to_string(finished.status);
  return text + ", " + std::to_string(finished.seconds) + " s]\n";
}

}  // namespace ricercar::test
