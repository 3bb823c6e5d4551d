// A first-in first-out queue of small numbers, in one byte each where they are below 128. Made for
// queues of very many short lists: memory is taken and given back in blocks of 64 kB.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>

#include "base/check.h"

namespace ricercar::inline strategy {

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

}  // namespace ricercar::inline strategy
