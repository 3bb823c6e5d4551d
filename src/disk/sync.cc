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

}  // namespace

void sync_file(DiskLog& log, int number) {
  struct stat status;
  if (log.empty() || !look_at(number, status)) return;
  if (S_ISDIR(status.st_mode)) {
    const char* folder = path_of(log, number);
    if (folder == nullptr) return;
    return sync_if(log, [&](const FileChange& change) {
      return !change.is_about_contents() && is_in_folder(change, folder);
    });
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
