#include "disk/sync.h"

#include <limits.h>

#include <cstring>

#include "disk/files.h"

namespace ricercar::inline disk {
namespace {

// Where it has come to decides: a rename from one folder to another is one change.
bool is_in_folder(const FileChange& change, const char* folder) {
  const char* path = change.new_path != nullptr ? change.new_path : change.path;
  const std::size_t length = std::strcmp(folder, "/") == 0 ? 0 : std::strlen(folder);
  return std::strncmp(path, folder, length) == 0 && path[length] == '/' &&
         std::strchr(path + length + 1, '/') == nullptr;
}

template <typename Is>
void sync_if(DiskLog& log, Is is) {
  for (FileChange* change = log.first(); change != nullptr; change = change->next) {
    if (change->node == log.node && is(*change)) change->is_synced = true;
  }
}

bool is_at_or_below(const char* path, const char* other) {
  const std::size_t length = std::strlen(other);
  return std::strncmp(path, other, length) == 0 && (path[length] == 0 || path[length] == '/');
}

bool concerns(const FileChange& change, const char* path) {
  return is_at_or_below(path, change.path) ||
         (change.new_path != nullptr && is_at_or_below(path, change.new_path));
}

// A file that has come to a folder which is synced is there, wherever it came from: so the changes
// that made its old name are not lost either. Those of folders on its new path still may be.
void sync_origins(DiskLog& log, const FileChange& arrival) {
  const char* wanted = arrival.path;
  for (FileChange* change = arrival.previous; change != nullptr; change = change->previous) {
    if (change->node != log.node || change->is_about_contents()) continue;
    if (!concerns(*change, wanted) || concerns(*change, arrival.new_path)) continue;
    change->is_synced = true;
    if (change->new_path != nullptr) sync_origins(log, *change);
  }
}

void sync_names(DiskLog& log, const char* folder) {
  for (FileChange* change = log.first(); change != nullptr; change = change->next) {
    if (change->node != log.node || change->is_about_contents()) continue;
    if (!is_in_folder(*change, folder)) continue;
    change->is_synced = true;
    if (change->new_path != nullptr) sync_origins(log, *change);
  }
}

}  // namespace

void sync_file(DiskLog& log, int number) {
  struct stat status;
  if (log.empty() || !look_at(number, status)) return;
  if (S_ISDIR(status.st_mode)) {
    const char* folder = path_of(log, number);
    if (folder == nullptr) return;
    return sync_names(log, folder);
  }
  const KnownFile* file = log.find(status.st_dev, status.st_ino);
  if (file == nullptr) return;
  sync_if(log, [&](const FileChange& change) {
    return change.is_about_contents() && change.file == file->number;
  });
}

void sync_all(DiskLog& log) {
  sync_if(log, [](const FileChange&) { return true; });
}

}  // namespace ricercar::inline disk
