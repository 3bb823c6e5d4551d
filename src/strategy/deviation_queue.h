// A first-in first-out queue of executions, each as its deviations from the default decisions: a
// few bytes for one that deviates a few times, however long it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/check.h"
#include "base/plain.h"

namespace ricercar::inline strategy {

// A first-in first-out queue of small numbers, in one byte each where they are below 128. Made for
// queues of very many short lists: memory is taken and given back in blocks of 64 kB.
class NumberQueue {
 public:
  void push(std::uint32_t number) {
    for (; number >= 0x80; number >>= 7) push_byte(static_cast<std::uint8_t>(number | 0x80));
    push_byte(static_cast<std::uint8_t>(number));
  }

  std::uint32_t pop() {
    std::uint32_t number = 0;
    for (unsigned shift = 0;; shift += 7) {
      const std::uint8_t byte = pop_byte();
      number |= static_cast<std::uint32_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return number;
    }
  }

  std::uint64_t bytes() const { return blocks_.size() * std::uint64_t{sizeof(Block)}; }

  template <typename Archive>
  void serialize(Archive& archive) {
    std::uint64_t count = blocks_.size();
    archive(count, read_, write_);
    while (blocks_.size() < count) blocks_.push_back(std::make_unique<Block>());
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t begin = i == 0 ? read_ : 0;
      const std::size_t end = i + 1 == count ? write_ : sizeof(Block);
      archive.pass(blocks_[i]->bytes + begin, end - begin);
    }
  }

  void clear() {
    blocks_.clear();
    read_ = write_ = 0;
  }

 private:
  // With the header of the search's heap a block is a power of two.
  struct Block {
    std::uint8_t bytes[65536 - 16];
  };

  void push_byte(std::uint8_t byte) {
    if (write_ % sizeof(Block) == 0) {
      blocks_.push_back(std::make_unique_for_overwrite<Block>());
      write_ = 0;
    }
    blocks_.back()->bytes[write_++] = byte;
  }

  std::uint8_t pop_byte() {
    RICERCAR_CHECK(blocks_.size() > 1 || read_ < write_);
    const std::uint8_t byte = blocks_.front()->bytes[read_++];
    if (read_ == sizeof(Block)) {
      blocks_.pop_front();
      read_ = 0;
      if (blocks_.empty()) write_ = 0;
    }
    return byte;
  }

  std::deque<std::unique_ptr<Block>> blocks_;
  std::size_t read_ = 0;   // the next byte to read, in the first block
  std::size_t write_ = 0;  // the next byte to write, in the last block
};

// A decision other than the default: at which choice point, and which option.
struct Deviation {
  std::uint32_t depth;
  std::uint32_t chosen;
};

// The choice points from start() to before `end` of the execution with these deviations, which has
// the default decision at each of them. There is at least one.
struct DeviationItem {
  std::vector<Deviation> deviations;  // by ascending depth
  std::uint32_t end = 0;
  std::uint32_t options = 0;  // the number of options of the last of the points

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(plain(deviations), end, options);
  }

  std::uint32_t start() const { return deviations.empty() ? 0 : deviations.back().depth + 1; }
};

inline void write(ByteWriter& writer, const DeviationItem& item) {
  writer.list(std::span<const Deviation>(item.deviations));
  writer.number(item.end);
  writer.number(item.options);
}

inline void read(ByteReader& reader, DeviationItem& item) {
  item.deviations = reader.list<Deviation>();
  item.end = static_cast<std::uint32_t>(reader.number());
  item.options = static_cast<std::uint32_t>(reader.number());
}

class DeviationQueue {
 public:
  void push(const DeviationItem& item) {
    numbers_.push(static_cast<std::uint32_t>(item.deviations.size()));
    std::uint32_t depth = 0;
    for (const Deviation& deviation : item.deviations) {
      numbers_.push(deviation.depth - depth);
      numbers_.push(deviation.chosen);
      depth = deviation.depth;
    }
    numbers_.push(item.end - item.start());
    numbers_.push(item.options);
  }

  // Reads into `item` so that its memory is used again.
  void pop(DeviationItem& item) {
    item.deviations.resize(numbers_.pop());
    std::uint32_t depth = 0;
    for (Deviation& deviation : item.deviations) {
      deviation.depth = depth += numbers_.pop();
      deviation.chosen = numbers_.pop();
    }
    item.end = item.start() + numbers_.pop();
    item.options = numbers_.pop();
  }

  std::uint64_t bytes() const { return numbers_.bytes(); }
  template <typename Archive>
  void serialize(Archive& archive) {
    archive(numbers_);
  }
  void clear() { numbers_.clear(); }

 private:
  NumberQueue numbers_;
};

}  // namespace ricercar::inline strategy
