#include "threads/sharing.h"

#include <algorithm>

#include "base/search_heap.h"

namespace ricercar {
namespace {

constexpr std::size_t least_slots = 64;
constexpr std::uint64_t word_bytes = 8;

}  // namespace

void WordSet::insert(std::uint64_t word) {
  if (contains(word)) return;
  if (slots_.empty() || 2 * count_ >= slots_.size()) {
    const std::vector<std::uint64_t> old = std::move(slots_);
    slots_.assign(old.empty() ? least_slots : 2 * old.size(), 0);
    count_ = 0;
    for (const std::uint64_t kept : old) {
      if (kept != 0) insert(kept);
    }
  }
  std::uint64_t at = mix64(word);
  while (slots_[at & (slots_.size() - 1)] != 0) ++at;
  slots_[at & (slots_.size() - 1)] = word;
  ++count_;
}

bool Sharing::touch(TaskId task, std::uint64_t address, std::uint32_t size, bool is_write) {
  if (known_ == nullptr) return false;
  bool is_known = false;
  const std::uint64_t last = (address + size - 1) / word_bytes;
  for (std::uint64_t i = address / word_bytes; i <= last; ++i) {
    if (known_->contains(i)) {
      is_known = true;
      continue;
    }
    Word& word = at(i);
    if (word.execution != execution_) word = {i, execution_, task, false, false};
    const bool was_shared = word.is_shared && word.is_written;
    word.is_shared = word.is_shared || word.task != task;
    word.is_written = word.is_written || is_write;
    if (word.is_shared && word.is_written && !was_shared) found_.push_back(i);
  }
  return is_known;
}

void Sharing::freed(TaskId task, std::uint64_t address, std::uint64_t size) {
  if (known_ == nullptr || follows_) return;
  const std::uint64_t first = address / word_bytes;
  const std::uint64_t count = (size + word_bytes - 1) / word_bytes;
  const auto write = [&](const Word& word) {
    const bool is_touched = word.execution == execution_ && word.word - first < count;
    const bool is_new = !(word.is_shared && word.is_written);
    if (is_touched && is_new && (word.is_shared || word.task != task)) found_.push_back(word.word);
  };
  if (count >= words_.size()) {
    std::for_each(words_.begin(), words_.end(), write);
    return;
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    if (const Word* word = find(first + i)) write(*word);
  }
}

const Sharing::Word* Sharing::find(std::uint64_t word) const {
  for (std::uint64_t i = mix64(word); !words_.empty(); ++i) {
    const Word& found = words_[i & (words_.size() - 1)];
    if (found.word == word) return &found;
    if (found.word == 0) break;
  }
  return nullptr;
}

Sharing::Word& Sharing::at(std::uint64_t word) {
  if (2 * used_ >= words_.size()) grow();
  for (std::uint64_t i = mix64(word);; ++i) {
    Word& found = words_[i & (words_.size() - 1)];
    if (found.word == word) return found;
    if (found.word != 0) continue;
    ++used_;
    found.word = word;
    return found;
  }
}

// What is left of earlier executions goes.
void Sharing::grow() {
  const std::vector<Word> old = std::move(words_);
  std::size_t kept = 0;
  for (const Word& word : old) kept += word.execution == execution_ ? 1 : 0;
  std::size_t slots = least_slots;
  while (slots < 4 * (kept + 1)) slots *= 2;
  words_.assign(slots, {});
  used_ = 0;
  for (const Word& word : old) {
    if (word.word != 0 && word.execution == execution_) at(word.word) = word;
  }
}

bool Sharing::learn() {
  if (found_.empty()) return false;
  const SharedAllocation shared;
  for (const std::uint64_t word : found_) known_->insert(word);
  found_.clear();
  return true;
}

}  // namespace ricercar
