#include "nodes/guardian.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <new>
#include <set>

#include "base/error.h"
#include "base/text.h"
#include "disk/files.h"
#include "disk/undo.h"

namespace ricercar::inline nodes {
namespace {

namespace fs = std::filesystem;

constexpr int most_files = 64;          // searches of one cluster at a time
constexpr int patience_ms = 60 * 1000;  // with a guardian at work, and with processes that end
constexpr int look_again_ms = 10;
constexpr int signal_of_end = SIGUSR1;
constexpr std::uint64_t log_offset = (sizeof(DiskMemory) + 4095) / 4096 * 4096;
constexpr std::uint64_t first_bytes = log_offset + (std::uint64_t{1} << 20);

unsigned char* log_memory() {
  return reinterpret_cast<unsigned char*>(&disk_memory()) + log_offset;
}

// Since when the machine runs: what was in its memory before may be on no disk.
std::string boot_of_machine() {
  std::string text;
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::getline(file, text);
  return text;
}

std::string name_of(const std::string& cluster_file, int number) {
  const fs::path path = fs::absolute(cluster_file);
  const std::string suffix = number == 1 ? "" : "-" + std::to_string(number);
  return path.parent_path() / ("." + path.filename().string() + ".undo" + suffix);
}

bool is_alive(pid_t process) { return process > 0 && (::kill(process, 0) == 0 || errno == EPERM); }

bool is_still_at(int number, const std::string& path) {
  struct stat status = {};
  const FileIdentity there = identity_of(path.c_str());
  return ::fstat(number, &status) == 0 && there == FileIdentity{status.st_dev, status.st_ino};
}

// What it begins with; nothing is in it if it was made only just.
struct Header {
  explicit Header(int number) {
    if (::pread(number, bytes, sizeof bytes, 0) != sizeof bytes) return;
    memory = reinterpret_cast<const DiskMemory*>(bytes);
  }

  const DiskMemory* memory = nullptr;
  alignas(DiskMemory) unsigned char bytes[sizeof(DiskMemory)];
};

// True: nobody uses it. Where the coordinator is gone its guardian is still at work.
bool lock_if_left(int number) {
  for (int waited = 0; ::flock(number, LOCK_EX | LOCK_NB) != 0; waited += look_again_ms) {
    const Header header(number);
    const bool is_used = header.memory == nullptr || is_alive(header.memory->coordinator);
    if (is_used || waited > patience_ms) return false;
    ::usleep(look_again_ms * 1000);
  }
  return true;
}

// Processes that have this file in memory, but this one.
std::set<pid_t> users_of(ino_t inode, const std::string& name) {
  std::set<pid_t> users;
  const std::string number = " " + std::to_string(inode) + " ";
  std::error_code ignored;
  for (const fs::directory_entry& each : fs::directory_iterator("/proc", ignored)) {
    const int process = std::atoi(each.path().filename().c_str());
    if (process <= 0 || process == ::getpid()) continue;
    std::ifstream maps(each.path() / "maps");
    for (std::string line; std::getline(maps, line);) {
      if (line.find(number) == std::string::npos || line.find(name) == std::string::npos) continue;
      users.insert(process);
      break;
    }
  }
  return users;
}

// Nodes end with their coordinator by themselves, but not those that were under a debugger.
void end_users_of(int file, const std::string& name) {
  struct stat status = {};
  if (::fstat(file, &status) != 0) return;
  for (int waited = 0; waited < patience_ms; waited += look_again_ms) {
    const std::set<pid_t> users = users_of(status.st_ino, name);
    if (users.empty()) return;
    for (const pid_t user : users) ::kill(user, SIGKILL);
    ::usleep(look_again_ms * 1000);
  }
}

std::string folders_of(const ClusterPlan& plan) {
  std::set<std::string> folders;
  for (const NodePlan& node : plan.nodes) folders.insert(node.folder);
  std::string text;
  for (const std::string& folder : folders)
    text += (text.empty() ? "" : ", ") + ricercar::quoted(folder);
  return text;
}

[[noreturn]] void fail_to_put_back(const std::string& why, const std::string& path,
                                   const ClusterPlan& plan) {
  throw UsageError(
      "an earlier search of this cluster has left files as its nodes had changed them, and they "
      "cannot be put back: " +
      why + ". Compare with a copy what the nodes write to (they run in " + folders_of(plan) +
      "), then remove " + ricercar::quoted(path) + " and search again");
}

}  // namespace

// --- The file ---

UndoFile::UndoFile(const ClusterPlan& plan) {
  for (int i = 1; i <= most_files; ++i) put_back(name_of(plan.path, i), plan);
  for (int i = 1; i <= most_files; ++i) {
    if (make(name_of(plan.path, i)) || errno != EEXIST) return;
  }
}

UndoFile::~UndoFile() { close(); }

void UndoFile::put_back(const std::string& path, const ClusterPlan& plan) {
  const OpenFile file(AT_FDCWD, path.c_str(), O_RDWR);
  if (!file.is_open() || !lock_if_left(file.number()) || !is_still_at(file.number(), path)) return;
  const Header header(file.number());
  if (header.memory != nullptr && header.memory->log.has_changed()) {
    if (header.memory->magic != disk_magic) {
      fail_to_put_back("another version of Ricercar was at work", path, plan);
    }
    if (header.memory->boot != boot_of_machine()) {
      fail_to_put_back("the machine went down meanwhile", path, plan);
    }
    end_users_of(file.number(), fs::path(path).filename());
    void* const place = ::mmap(&disk_memory(), disk_size, PROT_READ | PROT_WRITE,
                               MAP_SHARED | MAP_FIXED_NOREPLACE, file.number(), 0);
    if (place != &disk_memory()) fail_to_put_back("there is no memory for it", path, plan);
    if (!disk_memory().log.empty()) {
      note_ =
          "an earlier search of this cluster was killed with all of its processes: what its nodes "
          "had done to files was put back before this one began";
    }
    undo_all(disk_memory().log);
    ::munmap(place, disk_size);
  }
  ::unlink(path.c_str());
}

bool UndoFile::make(const std::string& path) {
  number_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (number_ < 0) return false;
  path_ = path;
  // Another search may have taken it for one that was left.
  if (::flock(number_, LOCK_EX | LOCK_NB) == 0 && is_still_at(number_, path)) return true;
  close();
  errno = EEXIST;
  return false;
}

void UndoFile::close() {
  if (number_ >= 0) ::close(number_);
  number_ = -1;
  path_.clear();
}

bool UndoFile::map_file() {
  if (number_ < 0 || ::fallocate(number_, 0, 0, first_bytes) != 0) return false;
  const void* wanted = &disk_memory();
  return ::mmap(&disk_memory(), disk_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, number_,
                0) == wanted;
}

void UndoFile::map() {
  const bool is_file = map_file();
  if (!is_file) remove();
  DiskMemory& memory = *new (&disk_memory()) DiskMemory();
  memory.coordinator = ::getpid();
  copy_text(memory.boot, boot_of_machine());
  memory.log.use(log_memory(), disk_size - log_offset);
  if (is_file) memory.log.use_file(path_.c_str(), first_bytes - log_offset, log_offset);
  copy_text(cluster_memory().undo_file, path_);
}

void UndoFile::remove() {
  if (number_ >= 0 && is_still_at(number_, path_)) ::unlink(path_.c_str());
  close();
}

// --- The process ---

namespace {

// What the coordinator writes to would not end before this process does.
void leave_streams() {
  const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nowhere, stream);
}

void await_end_of(pid_t parent) {
  sigset_t end;
  sigemptyset(&end);
  sigaddset(&end, signal_of_end);
  ::prctl(PR_SET_PDEATHSIG, signal_of_end);
  while (::getppid() == parent) ::sigwaitinfo(&end, nullptr);
}

// In a session of its own, which nobody ends with the tool.
[[noreturn]] void guard(pid_t parent, UndoFile& file, int memory) {
  ::setsid();
  leave_streams();
  await_end_of(parent);
  end_users_of(memory, "ricercar-cluster");
  undo_all(disk_memory().log);
  file.remove();
  ::_exit(0);
}

}  // namespace

Guardian::Guardian(UndoFile& file, int memory) {
  const pid_t parent = ::getpid();
  sigset_t all, before;
  sigfillset(&all);
  ::sigprocmask(SIG_BLOCK, &all, &before);
  process_ = ::fork();
  if (process_ == 0) guard(parent, file, memory);
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  if (process_ < 0) throw UsageError("cannot start the process that guards the files of the nodes");
}

Guardian::~Guardian() {
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
}

}  // namespace ricercar::inline nodes
