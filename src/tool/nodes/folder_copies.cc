#include "nodes/folder_copies.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <string_view>

#include "base/error.h"
#include "nodes/guardian.h"

namespace ricercar::inline nodes {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t most_copied_bytes = std::uint64_t{256}
                                            << 20;     // of all copies of one search
constexpr std::uint64_t most_copied_entries = 20'000;  // likewise

[[noreturn]] void refuse(const std::string& what) { throw UsageError(what); }
[[noreturn]] void refuse_with_error(const std::string& what) {
  throw UsageError(what + ": " + std::strerror(errno));
}

bool is_inside(const std::string& path, const std::string& folder) {
  return path == folder || path.starts_with(folder == "/" ? folder : folder + "/");
}

// --- A copy ---

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  const int number_;
};

// In the order in which a program sees them.
std::vector<std::string> names_in(const std::string& folder) {
  DIR* stream = ::opendir(folder.c_str());
  if (stream == nullptr) refuse_with_error("the folder " + ricercar::quoted(folder));
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(stream)) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  ::closedir(stream);
  return names;
}

// Copies what a program may see of a folder: names, contents, modes, owners and times. What is
// more than that is refused, so that a copy is as good as what it was made from.
class Copying {
 public:
  void copy(const std::string& from, const std::string& to) {
    struct stat status = {};
    if (::lstat(from.c_str(), &status) != 0) refuse_with_error(ricercar::quoted(from));
    require_plain(from, status);
    if (S_ISDIR(status.st_mode)) {
      copy_folder(from, to);
    } else if (S_ISLNK(status.st_mode)) {
      copy_link(from, to);
    } else {
      copy_file(from, to, status);
    }
    take_over(to, status);
  }

 private:
  void require_plain(const std::string& path, const struct stat& status) {
    const std::string name = ricercar::quoted(path);
    const bool is_known =
        S_ISDIR(status.st_mode) || S_ISLNK(status.st_mode) || S_ISREG(status.st_mode);
    if (!is_known) refuse(name + " is neither a file nor a folder nor a link");
    if (!S_ISDIR(status.st_mode) && status.st_nlink > 1) refuse(name + " has several names");
    if (device_ == 0) device_ = status.st_dev;
    if (status.st_dev != device_) refuse(name + " is on another file system than the cluster file");
    if (has_attributes(path)) refuse(name + " has extended attributes");
    bytes_ += S_ISREG(status.st_mode) ? static_cast<std::uint64_t>(status.st_size) : 0;
    if (bytes_ > most_copied_bytes || ++entries_ > most_copied_entries) {
      refuse("the folders of the nodes hold more than " + std::to_string(most_copied_bytes >> 20) +
             " MB or " + std::to_string(most_copied_entries) + " files");
    }
  }

  // Those of the security modules are given to copies by themselves.
  static bool has_attributes(const std::string& path) {
    char names[4096];
    const ssize_t size = ::llistxattr(path.c_str(), names, sizeof names);
    if (size < 0) return errno == ERANGE;
    for (const char* name = names; name < names + size; name += std::strlen(name) + 1) {
      if (!std::string_view(name).starts_with("security.")) return true;
    }
    return false;
  }

  void copy_folder(const std::string& from, const std::string& to) {
    if (::mkdir(to.c_str(), 0700) != 0) refuse_with_error("cannot make " + ricercar::quoted(to));
    const std::vector<std::string> names = names_in(from);
    for (const std::string& name : names) copy(from + "/" + name, to + "/" + name);
    if (names_in(to) == names) return;
    refuse("the file system lists a copy of " + ricercar::quoted(from) + " in another order");
  }

  static void copy_link(const std::string& from, const std::string& to) {
    std::error_code error;
    fs::copy_symlink(from, to, error);
    if (error) refuse("cannot copy " + ricercar::quoted(from) + ": " + error.message());
  }

  static void copy_file(const std::string& from, const std::string& to, const struct stat& status) {
    const Descriptor source(::open(from.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (source.number() < 0) refuse_with_error("cannot read " + ricercar::quoted(from));
    const Descriptor target(::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (target.number() < 0) refuse_with_error("cannot write " + ricercar::quoted(to));
    if (::ioctl(target.number(), FICLONE, source.number()) == 0) return;
    for (auto left = status.st_size; left > 0;) {
      const ssize_t size =
          ::sendfile(target.number(), source.number(), nullptr, static_cast<std::size_t>(left));
      if (size <= 0) refuse_with_error("cannot copy " + ricercar::quoted(from));
      left -= size;
    }
  }

  // Last, because each of these changes what comes behind it.
  static void take_over(const std::string& to, const struct stat& status) {
    const bool is_root = ::geteuid() == 0;
    const int owned = ::lchown(to.c_str(), is_root ? status.st_uid : -1, status.st_gid);
    const bool is_link = S_ISLNK(status.st_mode);
    const int moded = is_link ? 0 : ::chmod(to.c_str(), status.st_mode & 07777);
    const timespec times[] = {status.st_atim, status.st_mtim};
    const int timed = ::utimensat(AT_FDCWD, to.c_str(), times, AT_SYMLINK_NOFOLLOW);
    if (owned == 0 && moded == 0 && timed == 0) return;
    refuse_with_error("cannot give " + ricercar::quoted(to) +
                      " the owner and the mode of what it is a copy of");
  }

  dev_t device_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t entries_ = 0;
};

// --- A mount namespace ---

bool write_text(const char* path, const std::string& text) {
  const Descriptor file(::open(path, O_WRONLY | O_CLOEXEC));
  return ::write(file.number(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

// Who is not root needs a namespace of users, too, in which nobody else has a name.
void enter_user_namespace() {
  const std::string user = std::to_string(::geteuid()), group = std::to_string(::getegid());
  if (::unshare(CLONE_NEWUSER) != 0) refuse_with_error("a namespace of users is not permitted");
  const bool is_mapped = write_text("/proc/self/setgroups", "deny") &&
                         write_text("/proc/self/uid_map", user + " " + user + " 1") &&
                         write_text("/proc/self/gid_map", group + " " + group + " 1");
  if (!is_mapped) refuse_with_error("a namespace of users is not permitted");
}

void enter_mount_namespace() {
  if (::unshare(CLONE_NEWNS) != 0) refuse_with_error("a mount namespace is not permitted");
  if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
    refuse_with_error("mounts of its own are not permitted");
}

}  // namespace

std::string FolderCopies::lines() const {
  std::string text;
  for (const std::string& folder : folders) text += folder + "\n";
  return text;
}

FolderCopies mount_copies(const std::string& place, const std::vector<std::string>& folders) {
  FolderCopies copies{folders, ::geteuid() != 0};
  if (folders.empty()) return {};
  if (copies.hides_owners) enter_user_namespace();
  enter_mount_namespace();
  std::string own = place + "/XXXXXX";
  if (::mkdtemp(own.data()) == nullptr) refuse_with_error("cannot make a folder in " + place);
  Copying copying;
  for (std::size_t i = 0; i < folders.size(); ++i) {
    const std::string copy = own + "/" + std::to_string(i);
    copying.copy(folders[i], copy);
    if (::mount(copy.c_str(), folders[i].c_str(), nullptr, MS_BIND, nullptr) != 0)
      refuse_with_error("cannot mount a copy of " + ricercar::quoted(folders[i]));
  }
  return copies;
}

// --- Who starts the searches ---

LockedFolders::LockedFolders(const ClusterPlan& plan) {
  std::set<std::string> own;
  for (const NodePlan& node : plan.nodes) {
    if (!node.has_own_folder || !own.insert(node.folder).second) continue;
    folders_.push_back(::open(node.folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (::flock(folders_.back(), LOCK_EX | LOCK_NB) == 0) continue;
    const std::string name = ricercar::quoted(node.folder);
    for (const int folder : folders_) ::close(folder);
    throw UsageError("the folder " + name + " of the node " + ricercar::quoted(node.name) +
                     " is used by another search: wait for its end, or give this one a copy");
  }
}

LockedFolders::~LockedFolders() {
  for (const int folder : folders_) ::close(folder);
}

namespace {

std::string put_back(const ClusterPlan& plan) {
  UndoFile file(plan);
  file.remove();
  return file.note();
}

std::string folder_of_cluster(const std::string& cluster_file) {
  return fs::canonical(cluster_file).parent_path();
}

// Those that hold no other one of them, and not the cluster file itself: what the search keeps
// beside that would be in the copies.
std::vector<std::string> folders_to_copy(const ClusterPlan& plan, std::string& why_not) {
  std::set<std::string> all;
  for (const NodePlan& node : plan.nodes) {
    if (node.has_own_folder) all.insert(fs::canonical(node.folder));
  }
  const std::string cluster = folder_of_cluster(plan.path);
  std::vector<std::string> folders;
  for (const std::string& folder : all) {
    if (is_inside(cluster, folder)) {
      why_not = "the cluster file is in the folder of a node";
    } else if (folders.empty() || !is_inside(folder, folders.back())) {
      folders.push_back(folder);
    }
  }
  return folders;
}

std::string prefix_of_places(const std::string& cluster_file) {
  return "." + fs::path(cluster_file).filename().string() + ".copies-";
}

// Negative: it is used.
int lock_place(const std::string& place) {
  const int folder = ::open(place.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0 || ::flock(folder, LOCK_EX | LOCK_NB) == 0) return folder;
  ::close(folder);
  return -1;
}

// Of searches that were killed with all of their processes.
void remove_left_places(const std::string& cluster_file) {
  std::error_code ignored;
  const std::string prefix = prefix_of_places(cluster_file);
  for (const auto& entry : fs::directory_iterator(folder_of_cluster(cluster_file), ignored)) {
    if (!entry.path().filename().string().starts_with(prefix)) continue;
    const int lock = lock_place(entry.path());
    if (lock < 0) continue;
    fs::remove_all(entry.path(), ignored);
    ::close(lock);
  }
}

// Tries it in a process of its own; what is wrong, in words; empty: nothing.
std::string try_to_mount(const std::string& place, const std::vector<std::string>& folders) {
  int pipe[2];
  if (::pipe2(pipe, O_CLOEXEC) != 0) return "cannot make a pipe";
  const pid_t child = ::fork();
  if (child == 0) {
    std::string problem;
    try {
      mount_copies(place, folders);
    } catch (const std::exception& error) {
      problem = error.what();
    }
    const ssize_t written = ::write(pipe[1], problem.data(), problem.size());
    ::_exit(written >= 0 ? 0 : 1);
  }
  ::close(pipe[1]);
  std::string problem;
  char text[512];
  for (ssize_t size; (size = ::read(pipe[0], text, sizeof text)) > 0;)
    problem.append(text, static_cast<std::size_t>(size));
  ::close(pipe[0]);
  int status = 1;
  if (child > 0) ::waitpid(child, &status, 0);
  return status == 0 ? problem : "a process that copies the folders of the nodes has failed";
}

}  // namespace

SharedCluster::SharedCluster(const ClusterPlan& plan) : note_(put_back(plan)), locks_(plan) {
  remove_left_places(plan.path);
  folders_ = folders_to_copy(plan, why_not_);
  if (folders_.empty()) return;
  make_place(plan.path);
  if (why_not_.empty()) why_not_ = try_to_mount(place_, folders_);
  if (!why_not_.empty()) folders_.clear();
}

SharedCluster::~SharedCluster() { remove_place(); }

std::vector<std::string> SharedCluster::copies() const {
  std::vector<std::string> all;
  if (folders_.empty()) return all;
  all.push_back(place_);
  all.insert(all.end(), folders_.begin(), folders_.end());
  return all;
}

// On the file system of the folders, so that a copy is like them.
void SharedCluster::make_place(const std::string& cluster_file) {
  place_ = folder_of_cluster(cluster_file) + "/" + prefix_of_places(cluster_file) + "XXXXXX";
  if (::mkdtemp(place_.data()) != nullptr) {
    place_lock_ = lock_place(place_);
    struct stat here = {}, there = {};
    const bool is_known =
        ::stat(place_.c_str(), &here) == 0 && ::stat(folders_.front().c_str(), &there) == 0;
    if (is_known && here.st_dev == there.st_dev) return;
    why_not_ = "the folders of the nodes are on another file system than the cluster file";
    return;
  }
  why_not_ = "no folder can be made beside the cluster file: " + std::string(std::strerror(errno));
  place_.clear();
}

void SharedCluster::remove_place() {
  if (place_.empty()) return;
  std::error_code ignored;
  fs::remove_all(place_, ignored);
  if (place_lock_ >= 0) ::close(place_lock_);
}

}  // namespace ricercar::inline nodes
