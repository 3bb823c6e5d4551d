#include "threads/sharing.h"

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
