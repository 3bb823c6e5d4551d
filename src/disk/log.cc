#include "disk/log.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <new>

namespace ricercar::inline disk {

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
  if (rounded < size || rounded > room()) return nullptr;
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

FileChange* DiskLog::add(ChangeKind kind) {
  unsigned char* const place = take(sizeof(FileChange));
  if (place == nullptr) return nullptr;
  auto* const change = new (place) FileChange;
  change->kind = kind;
  change->node = node;
  change->is_synced = writes_synced;
  change->previous = last_;
  (last_ == nullptr ? first_ : last_->next) = change;
  last_ = change;
  return change;
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
  return std::any_of(left_alone_, left_alone_ + left_alone_count_, [&](const Identity& each) {
    return each.device == device && each.inode == inode;
  });
}

}  // namespace ricercar::inline disk
