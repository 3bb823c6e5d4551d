// The executions that wait, by priority: a stack for each priority, so that among equals the newest
// one comes first. What does not fit into the memory that it is given goes to a file, the lowest
// priorities and the oldest ones first, and comes back when its turn comes.
//
// The file is opened for each use: the process that holds the strategy may be replaced, and the
// program under test may close every descriptor.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ricercar {

class Fringe {
 public:
  struct Item {
    std::uint32_t node;   // in the execution tree
    std::uint32_t depth;  // of a decision to be taken after it, and the decision
    std::uint16_t choice;
  };

  // `memory` in bytes, 0: no limit.
  Fringe(std::uint64_t memory, std::string file) : memory_(memory), file_(std::move(file)) {}

  bool empty() const { return size_ == 0; }
  std::uint64_t size() const { return size_; }
  std::uint64_t size_on_disk() const { return on_disk_; }

  // These throw std::runtime_error if the file cannot be written or read.
  void push(std::uint64_t priority, const Item& item);
  Item pop();

 private:
  static constexpr std::size_t chunk_items = 4096;
  static constexpr std::size_t item_bytes = sizeof(Item);

  struct Chunk {
    std::uint64_t place;  // in the file, in chunks
    std::uint32_t items;
  };
  struct Bin {
    std::vector<Item> items;    // above the chunks
    std::vector<Chunk> chunks;  // in the file
  };

  void make_room();
  void write_chunk(Bin& bin, std::size_t count);
  void read_chunk(Bin& bin);
  void transfer(void* data, std::size_t bytes, std::uint64_t offset, bool writes) const;

  const std::uint64_t memory_;
  const std::string file_;
  std::map<std::uint64_t, Bin> bins_;
  std::uint64_t size_ = 0;
  std::uint64_t on_disk_ = 0;
  std::uint64_t file_chunks_ = 0;
  std::vector<std::uint64_t> free_places_;
};

}  // namespace ricercar
