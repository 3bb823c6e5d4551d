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
#include <tuple>
#include <vector>

#include "base/plain.h"

namespace ricercar::inline strategy {

class Fringe {
 public:
  struct Item {
    std::uint32_t node;   // in the execution tree
    std::uint32_t depth;  // of a decision to be taken after it, and the decision
    std::uint16_t choice;
  };

  // `memory` in bytes, 0: no limit. A part of it is left for what else a search keeps.
  Fringe(std::uint64_t memory, std::string file) : memory_(memory / 2), file_(std::move(file)) {}
  ~Fringe();
  Fringe(const Fringe&) = delete;
  Fringe& operator=(const Fringe&) = delete;

  bool empty() const { return size_ == 0; }
  std::uint64_t size() const { return size_; }
  std::uint64_t size_on_disk() const { return on_disk_; }

  // These throw std::runtime_error if the file cannot be written or read.
  void push(std::uint64_t priority, const Item& item);
  Item pop();
  // When its turn comes: the smallest one first.
  struct Turn {
    std::uint64_t priority;
    std::uint64_t age;    // of what was pushed: see begin_age
    std::uint64_t place;  // in its bin, among what has the same age
    bool operator<(const Turn& other) const {
      return std::tie(priority, other.age, other.place) < std::tie(other.priority, age, place);
    }
  };
  // Of what comes next.
  Turn turn() const {
    const auto& [priority, bin] = *bins_.begin();
    return {priority, bin.ages.back().age, bin.size - 1};
  }
  // What is pushed from now on comes before all that has been there with the same priority, also
  // if that was taken out and does not come back.
  void begin_age() { ++age_; }
  // From now on nothing goes to the file.
  void stay_in_memory() { memory_ = 0; }
  // What waits in the file is kept with the rest, and put there again if it has to be.
  void save(KeptOut& out) const;
  void load(KeptIn& in);
  // Not those on disk.
  template <typename Visit>
  void for_each(Visit visit) const {
    for (const auto& [priority, bin] : bins_) {
      for (const Block* each = bin.top; each != nullptr; each = each->below) {
        for (std::uint32_t i = each->first; i < each->end; ++i) visit(each->items[i]);
      }
    }
  }
  void clear() {
    while (!empty()) pop();
  }

 private:
  static constexpr std::size_t chunk_items = 4096;
  static constexpr std::size_t item_bytes = sizeof(Item);

  struct Chunk {
    std::uint64_t place;  // in the file, in chunks
    std::uint32_t items;
  };
  // A stack in small blocks of one size: memory that one bin gives back fits every other.
  struct Block {
    Block* below;
    Block* above;
    std::uint32_t first;  // the items from here on have not gone to the file
    std::uint32_t end;
    Item items[32];
  };
  struct Age {
    std::uint64_t age;
    std::uint64_t first;  // place of it
  };
  struct Bin {
    Block* top = nullptr;
    Block* bottom = nullptr;
    std::vector<Chunk> chunks;  // in the file, below the bottom
    std::uint64_t size = 0;     // with those in the file
    std::vector<Age> ages;      // from the bottom to the top
  };

  void push(Bin& bin, const Item& item);
  static void drop(Bin& bin, Block* block);
  static bool take_oldest(Bin& bin, Item& item);
  void make_room();
  void write_chunk(Bin& bin);
  void read_chunk(Bin& bin);
  std::vector<Item> items_of(const Bin& bin) const;
  void transfer(void* data, std::size_t bytes, std::uint64_t offset, bool writes) const;

  std::uint64_t memory_;
  const std::string file_;
  std::map<std::uint64_t, Bin> bins_;
  std::uint64_t age_ = 0;
  std::uint64_t size_ = 0;
  std::uint64_t on_disk_ = 0;
  std::uint64_t file_chunks_ = 0;
  std::vector<std::uint64_t> free_places_;
  std::vector<Item> buffer_;  // one chunk
};

}  // namespace ricercar::inline strategy
