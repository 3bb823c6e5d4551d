// What a program has done to files and folders, so that it can be undone: before the next
// execution, or, of a node, as far as a crash loses it. Plain data in memory that several processes
// map at one address: the program's process writes it, and whoever outlives that process can undo
// it. A change is in the log before it is made, and leaves the log after it was undone, so that
// nothing is forgotten wherever that process is killed.
//
// The files are the real ones. Of each change the log keeps what was there before, and if somebody
// may have to do it again (`keeps_data`), what came instead. One process writes at a time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ricercar::inline disk {

struct Bytes {
  unsigned char* data = nullptr;
  std::uint64_t size = 0;
};

// What a name stands for.
struct Entry {
  enum Type : std::uint8_t { nothing, file, folder, link, other };

  Type type = nothing;
  bool is_kept = false;        // all of its contents are in `bytes`
  std::uint32_t mode = 0;      // with the type, as the kernel has it
  Bytes bytes;                 // of a file: its contents; of a link: where it leads
  const char* twin = nullptr;  // another name of the same file
};

struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;

  bool operator==(const FileIdentity&) const = default;
};

enum class ChangeKind : std::uint8_t {
  make,      // `path` was nothing, and is `after` now
  add_name,  // `new_path` is another name of `path`
  remove,    // `path` was `before`
  rename,    // `path` is `new_path` now, which was `before`
  exchange,  // `path` is `new_path` now, and the other way round
  mode,      // of `path`: `before` and `after`
  write,     // `old_bytes` at `offset` have become `new_bytes`, and the file may have grown
  resize,    // to `new_size`; `old_bytes` are what it has lost, at `offset`
};

// Paths are absolute and have no links in them but the last name.
struct FileChange {
  FileChange* previous = nullptr;
  FileChange* next = nullptr;
  ChangeKind kind = ChangeKind::make;
  bool is_synced = false;  // no crash loses it
  bool is_whole = false;   // write: of all of the file
  bool is_mapped = false;  // and by memory: what was written shows at the end only
  std::uint16_t node = 0;  // who has made it
  std::uint32_t file = 0;  // a number for the file that it is about, whatever its name
  const char* path = nullptr;
  const char* new_path = nullptr;
  Entry before;
  Entry after;
  std::uint64_t offset = 0;
  std::uint64_t old_size = 0;
  std::uint64_t new_size = 0;
  Bytes old_bytes;
  Bytes new_bytes;
  // Rename, exchange: what was at `path`, and whether it may be there again or still.
  FileIdentity moved;
  bool may_be_back = false;

  bool is_about_contents() const { return kind == ChangeKind::write || kind == ChangeKind::resize; }
};

// A file that was changed.
struct KnownFile {
  KnownFile* next = nullptr;
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint32_t number = 0;
  bool is_new = false;  // it was not there when the execution began
  bool is_gone = false;
};

// Told of each change before it is made; null: nobody wants to know.
using ChangeHandler = void (*)(const FileChange& change);
extern ChangeHandler on_file_change;

class DiskLog {
 public:
  // Memory of which only what is used takes room.
  void use(unsigned char* memory, std::size_t size) {
    memory_ = memory;
    size_ = reserved_ = size;
  }
  // It is that of a file, behind so many bytes; the file has room for the first ones and grows. The
  // log itself is at the beginning of that file.
  void use_file(const char* path, std::size_t reserved, std::size_t offset);
  bool is_own_file(const char* path) const;
  bool has_memory() const { return memory_ != nullptr; }
  // Nothing has changed.
  void clear();

  bool keeps_data = false;
  std::uint16_t node = 0;      // who makes the changes now
  bool writes_synced = false;  // what is changed now is not lost by a crash

  FileChange* first() const { return first_; }
  FileChange* last() const { return last_; }
  bool empty() const { return first_ == nullptr; }
  // Since the log is in use; of a file this is on the disk before something changes.
  bool has_changed() const { return has_changed_; }
  // A change that is not in the log yet. Null: there is no room.
  FileChange* prepare(ChangeKind kind);
  // Behind all others: before it is made, with what is needed to undo it.
  void add(FileChange* change);
  void remove(FileChange* change);

  // Bytes that stay until the log is cleared; null: there is no room.
  unsigned char* take(std::size_t size);
  std::size_t room() const { return size_ - used_; }
  const char* keep_text(const char* text);

  KnownFile* find(std::uint64_t device, std::uint64_t inode) const;
  KnownFile* know(std::uint64_t device, std::uint64_t inode);

  // Files that are not the program's alone: what its standard streams lead to.
  void leave_alone(std::uint64_t device, std::uint64_t inode);
  bool is_left_alone(std::uint64_t device, std::uint64_t inode) const;

 private:
  static constexpr std::size_t most_left_alone = 72;  // every node may have one, and the tool some
  static constexpr std::size_t buckets = 256;
  bool reserve(std::size_t size);
  void note_first_change();

  unsigned char* memory_ = nullptr;
  std::size_t size_ = 0;
  std::size_t used_ = 0;
  std::size_t reserved_ = 0;
  std::size_t offset_ = 0;
  char file_[1024] = "";
  bool has_changed_ = false;
  FileChange* first_ = nullptr;
  FileChange* last_ = nullptr;
  std::uint32_t files_ = 0;
  KnownFile* known_[buckets] = {};
  FileIdentity left_alone_[most_left_alone] = {};
  std::size_t left_alone_count_ = 0;
};

}  // namespace ricercar::inline disk
