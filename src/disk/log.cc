#include "disk/log.h"

#include <fcntl.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <iterator>
#include <new>

#include "base/system_call.h"
#include "disk/files.h"

namespace ricercar::inline disk {

constinit ChangeHandler on_file_change = nullptr;

void DiskLog::use_file(const char* path, std::size_t reserved, std::size_t offset) {
  std::strncpy(file_, path, sizeof file_ - 1);
  reserved_ = reserved;
  offset_ = offset;
}

bool DiskLog::is_own_file(const char* path) const {
  return file_[0] != 0 && std::strcmp(path, file_) == 0;
}

// Memory of a file that has no room on the disk would end whoever writes it.
bool DiskLog::reserve(std::size_t size) {
  if (size <= reserved_) return true;
  const std::size_t wanted = std::min(size_, std::max(size, 2 * reserved_));
  const OpenFile file(AT_FDCWD, file_, O_RDWR);
  if (!file.is_open()) return false;
  const long result = system_call(SYS_fallocate, file.number(), 0, static_cast<long>(offset_),
                                  static_cast<long>(wanted));
  if (result == 0) reserved_ = wanted;
  return result == 0;
}

void DiskLog::note_first_change() {
  has_changed_ = true;
  if (file_[0] == 0) return;
  constexpr std::uint64_t page = 4096;
  const auto begin = reinterpret_cast<std::uint64_t>(this) / page * page;
  const auto end = reinterpret_cast<std::uint64_t>(this + 1);
  system_call(SYS_msync, static_cast<long>(begin), static_cast<long>(end - begin), MS_SYNC);
}

void DiskLog::clear() {
  if (used_ == 0) return;
  used_ = 0;
  first_ = last_ = nullptr;
  files_ = 0;
  std::fill(std::begin(known_), std::end(known_), nullptr);
}

unsigned char* DiskLog::take(std::size_t size) {
  constexpr std::size_t alignment = 16;
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  if (rounded < size || rounded > room() || !reserve(used_ + rounded)) return nullptr;
  unsigned char* const taken = memory_ + used_;
  used_ += rounded;
  return taken;
}

const char* DiskLog::keep_text(const char* text) {
  const std::size_t size = std::strlen(text) + 1;
  unsigned char* const kept = take(size);
  if (kept != nullptr) std::memcpy(kept, text, size);
  return reinterpret_cast<const char*>(kept);
}

FileChange* DiskLog::prepare(ChangeKind kind) {
  unsigned char* const place = take(sizeof(FileChange));
  if (place == nullptr) return nullptr;
  auto* const change = new (place) FileChange;
  change->kind = kind;
  change->node = node;
  change->is_synced = writes_synced;
  return change;
}

// Who undoes goes back from the last one, whenever this process was killed.
void DiskLog::add(FileChange* change) {
  if (!has_changed_) note_first_change();
  change->previous = last_;
  (last_ == nullptr ? first_ : last_->next) = change;
  std::atomic_signal_fence(std::memory_order_release);
  last_ = change;
  std::atomic_signal_fence(std::memory_order_release);
  if (on_file_change != nullptr) on_file_change(*change);
}

void DiskLog::remove(FileChange* change) {
  (change->previous == nullptr ? first_ : change->previous->next) = change->next;
  (change->next == nullptr ? last_ : change->next->previous) = change->previous;
}

KnownFile* DiskLog::find(std::uint64_t device, std::uint64_t inode) const {
  KnownFile* file = known_[inode % buckets];
  while (file != nullptr && (file->is_gone || file->device != device || file->inode != inode)) {
    file = file->next;
  }
  return file;
}

KnownFile* DiskLog::know(std::uint64_t device, std::uint64_t inode) {
  if (KnownFile* known = find(device, inode)) return known;
  unsigned char* const place = take(sizeof(KnownFile));
  if (place == nullptr) return nullptr;
  KnownFile*& bucket = known_[inode % buckets];
  bucket = new (place) KnownFile{bucket, device, inode, ++files_};
  return bucket;
}

void DiskLog::leave_alone(std::uint64_t device, std::uint64_t inode) {
  if (is_left_alone(device, inode)) return;
  if (left_alone_count_ < most_left_alone) left_alone_[left_alone_count_++] = {device, inode};
}

bool DiskLog::is_left_alone(std::uint64_t device, std::uint64_t inode) const {
  return std::any_of(left_alone_, left_alone_ + left_alone_count_, [&](const FileIdentity& each) {
    return each.device == device && each.inode == inode;
  });
}

}  // namespace ricercar::inline disk
