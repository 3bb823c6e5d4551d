#include "disk/crash.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <set>
#include <string_view>

#include "base/system_call.h"
#include "disk/files.h"
#include "disk/undo.h"
#include "disk/watch.h"

namespace ricercar::inline disk {
namespace {

constexpr std::size_t most_losable = 64;  // of one list: what came before survives
constexpr std::size_t most_missing = 2;   // before the last one that survives

bool is_below(std::string_view path, std::string_view folder) {
  return path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/';
}

std::vector<std::string_view> names_of(const FileChange& change) {
  std::vector<std::string_view> names = {change.path};
  if (change.new_path != nullptr) names.emplace_back(change.new_path);
  return names;
}

// A folder can go only when what was in it has gone.
bool empties_folder(const FileChange& change) { return change.before.type == Entry::folder; }

// The later one cannot survive without the earlier one: it is about the same name, or about one in
// a folder whose name the earlier one has changed.
bool needs(const FileChange& later, const FileChange& earlier) {
  for (const std::string_view name : names_of(later)) {
    for (const std::string_view other : names_of(earlier)) {
      if (name == other || is_below(name, other)) return true;
      if (empties_folder(later) && is_below(other, name)) return true;
    }
  }
  return false;
}

// Contents: what comes after a change of the length counts from there.
bool needs_contents(const FileChange& earlier) { return earlier.kind == ChangeKind::resize; }

bool is_possible(const Unsynced& list, const std::vector<bool>& survives) {
  const auto& changes = list.changes;
  for (std::size_t later = 0; later < changes.size(); ++later) {
    if (!survives[later]) continue;
    for (std::size_t i = 0; i < later; ++i) {
      if (survives[i]) continue;
      if (list.file != 0 ? needs_contents(*changes[i]) : needs(*changes[later], *changes[i])) {
        return false;
      }
    }
  }
  return true;
}

// A beginning of the list, of which some of those before the last one are missing.
std::vector<bool> beginning(std::size_t all, std::size_t length, std::uint32_t missing) {
  std::vector<bool> survives(all, false);
  std::fill_n(survives.begin(), length, true);
  for (std::size_t i = 0; i < most_missing; ++i) {
    if ((missing >> i & 1) != 0) survives[length - 2 - i] = false;
  }
  return survives;
}

bool can_tear(const FileChange& change) {
  return change.kind == ChangeKind::write && change.new_bytes.size > 1;
}

const FileChange* last_survivor(const Unsynced& list, const Survival& survival) {
  for (std::size_t i = list.changes.size(); i > 0; --i) {
    if (survival.survives[i - 1]) return list.changes[i - 1];
  }
  return nullptr;
}

// --- Doing again what survives ---

// Where each file is, by its number.
using Places = std::map<std::uint32_t, std::string>;

std::string moved(const std::string& path, std::string_view from, std::string_view to) {
  if (path == from) return std::string(to);
  return is_below(path, from) ? std::string(to) + path.substr(from.size()) : path;
}

class Redo {
 public:
  Redo(DiskLog& log, std::uint16_t node) : log_(log), node_(node) {
    for (FileChange* change = log.first(); change != nullptr; change = change->next) {
      if (change->node == node) all_.push_back(change);
    }
  }

  void lose(const Unsynced& list, const Survival& survival) {
    for (std::size_t i = 0; i < list.changes.size(); ++i) {
      if (!survival.survives[i]) lost_.insert(list.changes[i]);
    }
    if (survival.is_torn) torn_.insert(last_survivor(list, survival));
  }

  void run() {
    note_places();
    read_mapped_files();
    undo_node(log_, node_);
    changes_log = &log_;
    log_.node = node_;
    log_.writes_synced = true;
    for (const FileChange* change : all_) {
      if (!change->is_about_contents() && survives(*change)) change_name(*change);
    }
    for (const FileChange* change : all_) {
      if (change->is_about_contents() && !lost_.contains(change)) change_contents(*change);
    }
    log_.writes_synced = false;
    changes_log = nullptr;
  }

 private:
  // Where each file was at first: before its folders were renamed.
  void note_places() {
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const FileChange& change = *all_[i];
      if (change.kind == ChangeKind::make || places_.contains(change.file)) continue;
      std::string path = change.path;
      for (std::size_t j = i; j > 0; --j) {
        const FileChange& before = *all_[j - 1];
        if (before.kind == ChangeKind::rename) path = moved(path, before.new_path, before.path);
      }
      if (!is_made_here(change.file)) places_[change.file] = path;
    }
  }

  bool is_made_here(std::uint32_t file) const {
    return std::any_of(all_.begin(), all_.end(), [file](const FileChange* change) {
      return change->kind == ChangeKind::make && change->file == file;
    });
  }

  // What was written by memory is known only now.
  void read_mapped_files() {
    for (FileChange* change : all_) {
      struct stat status;
      if (!change->is_mapped || !look_at(AT_FDCWD, change->path, false, status)) continue;
      const OpenFile file(AT_FDCWD, change->path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
      if (!file.is_open()) continue;
      change->new_size = static_cast<std::uint64_t>(status.st_size);
      read_bytes(log_, file.number(), 0, change->new_size, change->new_bytes);
    }
  }

  // One that was synced is lost with what it needs.
  bool survives(const FileChange& change) {
    for (const FileChange* other : all_) {
      if (other == &change) break;
      if (!other->is_about_contents() && lost_.contains(other) && needs(change, *other)) {
        lost_.insert(&change);
      }
    }
    return !lost_.contains(&change);
  }

  void change_name(const FileChange& change) {
    switch (change.kind) {
      case ChangeKind::make:
        make(change);
        places_[change.file] = change.path;
        return;
      case ChangeKind::add_name:
        AddingName(AT_FDCWD, change.path, AT_FDCWD, change.new_path)
            .done(::link(change.path, change.new_path));
        return;
      case ChangeKind::remove:
        return remove(change);
      case ChangeKind::rename:
        return rename(change, 0);
      case ChangeKind::exchange:
        return rename(change, RENAME_EXCHANGE);
      case ChangeKind::mode:
        return set_mode(change);
      case ChangeKind::write:
      case ChangeKind::resize:
        return;
    }
  }

  static void make(const FileChange& change) {
    const Entry& entry = change.after;
    const unsigned mode = entry.mode & 07777;
    if (entry.type == Entry::file) {
      Opening noted(AT_FDCWD, change.path, O_CREAT | O_WRONLY);
      const int file = noted.done(::open(change.path, O_CREAT | O_WRONLY | O_CLOEXEC, mode));
      if (file < 0) return;
      ::fchmod(file, mode);
      ::close(file);
      return;
    }
    Making noted(AT_FDCWD, change.path);
    int result = -1;
    if (entry.type == Entry::folder) result = ::mkdir(change.path, mode);
    if (entry.type == Entry::link) {
      result = ::symlink(reinterpret_cast<const char*>(entry.bytes.data), change.path);
    }
    if (entry.type == Entry::other) result = ::mknod(change.path, entry.mode, 0);
    noted.done(result);
  }

  void remove(const FileChange& change) {
    Removing noted(AT_FDCWD, change.path);
    if (noted.done(::remove(change.path)) != 0) return;
    const auto place = places_.find(change.file);
    if (place != places_.end() && place->second == change.path) places_.erase(place);
  }

  void rename(const FileChange& change, unsigned flags) {
    Renaming noted(AT_FDCWD, change.path, AT_FDCWD, change.new_path, flags);
    if (noted.done(::renameat2(AT_FDCWD, change.path, AT_FDCWD, change.new_path, flags)) != 0) {
      return;
    }
    const bool exchanges = flags == RENAME_EXCHANGE;
    for (auto place = places_.begin(); place != places_.end();) {
      const bool is_replaced = place->second == change.new_path && !exchanges;
      const bool was_there =
          place->second == change.new_path || is_below(place->second, change.new_path);
      place->second = exchanges && was_there ? moved(place->second, change.new_path, change.path)
                                             : moved(place->second, change.path, change.new_path);
      place = is_replaced ? places_.erase(place) : std::next(place);
    }
  }

  void set_mode(const FileChange& change) {
    const auto place = places_.find(change.file);
    if (place == places_.end()) return;
    ChangingMode noted(AT_FDCWD, place->second.c_str());
    noted.done(::chmod(place->second.c_str(), change.after.mode & 07777));
  }

  void change_contents(const FileChange& change) {
    const auto place = places_.find(change.file);
    if (place == places_.end()) return;
    const OpenFile file(AT_FDCWD, place->second.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK);
    if (!file.is_open()) return;
    if (change.kind == ChangeKind::write) {
      Bytes bytes = change.new_bytes;
      if (torn_.contains(&change)) bytes.size /= 2;
      Writing noted(file.number(), static_cast<std::int64_t>(change.offset), bytes.size);
      noted.done(write_bytes(file.number(), bytes, change.offset) ? static_cast<long>(bytes.size)
                                                                  : -1);
    }
    if (change.kind == ChangeKind::resize || change.is_whole) {
      const auto size = static_cast<std::int64_t>(change.new_size);
      Resizing noted(file.number(), size);
      noted.done(::ftruncate(file.number(), size));
    }
  }

  DiskLog& log_;
  const std::uint16_t node_;
  std::vector<FileChange*> all_;
  std::set<const FileChange*> lost_;
  std::set<const FileChange*> torn_;
  Places places_;
};

}  // namespace

std::vector<Unsynced> unsynced(const DiskLog& log, std::uint16_t node) {
  std::vector<Unsynced> lists;
  for (FileChange* change = log.first(); change != nullptr; change = change->next) {
    if (change->node != node || change->is_synced) continue;
    const std::uint32_t file = change->is_about_contents() ? change->file : 0;
    auto list = std::find_if(lists.begin(), lists.end(),
                             [file](const Unsynced& each) { return each.file == file; });
    if (list == lists.end()) list = lists.insert(lists.end(), {file, {}});
    list->changes.push_back(change);
  }
  return lists;
}

std::vector<Survival> survivals(const Unsynced& list, bool may_tear) {
  std::vector<Survival> all;
  const std::size_t count = list.changes.size();
  const std::size_t shortest = count > most_losable ? count - most_losable : 0;
  for (std::size_t length = count + 1; length-- > shortest;) {
    const std::size_t others = std::min(most_missing, length == 0 ? 0 : length - 1);
    for (std::uint32_t missing = 0; missing < (1U << others); ++missing) {
      Survival survival{beginning(count, length, missing)};
      if (!is_possible(list, survival.survives)) continue;
      all.push_back(survival);
      survival.is_torn = true;
      const FileChange* last = last_survivor(list, survival);
      if (may_tear && missing == 0 && last != nullptr && can_tear(*last)) all.push_back(survival);
    }
  }
  return all;
}

std::string words_of(const Unsynced& list, const Survival& survival) {
  const auto lost = std::count(survival.survives.begin(), survival.survives.end(), false);
  const std::string path = list.changes.front()->path;
  const std::string what = list.file == 0 ? "names" : "'" + path.substr(path.rfind('/') + 1) + "'";
  return std::to_string(lost) + " of " + std::to_string(list.changes.size()) +
         " unsynced changes of " + what + (survival.is_torn ? ", and half of a write" : "");
}

bool Survival::loses_nothing() const {
  return !is_torn && std::find(survives.begin(), survives.end(), false) == survives.end();
}

void apply_crash(DiskLog& log, std::uint16_t node, const std::vector<Unsynced>& lists,
                 const std::vector<Survival>& chosen) {
  Redo redo(log, node);
  for (std::size_t i = 0; i < lists.size(); ++i) redo.lose(lists[i], chosen[i]);
  redo.run();
}

}  // namespace ricercar::inline disk
