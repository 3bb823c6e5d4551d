// The items of a stratified search that wait, first-in first-out. What does not fit into the memory
// that it is given goes to a file, without its saved state: it will be run from the start. The file
// is scratch of one search and never read by another one; each of its chunks carries the format's
// version and a checksum, and one that was damaged is refused.
//
// Not thread-safe. The file is opened for each use: the process that holds the strategy may be
// replaced, and the program under test may close every descriptor.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "strategy/delaying/search_item.h"

namespace ricercar::inline strategy {

class Frontier {
 public:
  // `memory` in bytes, 0: no limit.
  Frontier(std::uint64_t memory, std::string file) : memory_(memory), file_(std::move(file)) {}

  bool empty() const { return size() == 0; }
  std::uint64_t size() const { return items_.size() + on_disk_; }
  std::uint64_t size_on_disk() const { return on_disk_; }
  std::uint64_t bytes() const { return bytes_; }

  // These throw std::runtime_error if the file cannot be written, or is not what was written.
  void push(SearchItem item);
  SearchItem pop();
  // One that is in memory; `position` is below size() - size_on_disk().
  const SearchItem& at(std::uint64_t position) const { return items_[position]; }

 private:
  struct Chunk {
    std::uint64_t place;
    std::uint64_t bytes;
    std::uint64_t items;
  };

  void fetch_ahead() const;
  void encode(const SearchItem& item);
  void write_buffer();
  void read_chunk();
  void decode(std::uint64_t items);
  std::uint64_t checksum() const;
  void transfer(std::uint64_t place, bool writes);

  const std::uint64_t memory_;
  const std::string file_;
  std::deque<SearchItem> items_;  // before all that is on disk
  std::uint64_t bytes_ = 0;       // of them
  std::deque<Chunk> chunks_;
  std::vector<std::uint64_t> buffer_;  // what comes behind the chunks: numbers, a header in front
  std::uint64_t in_buffer_ = 0;        // items
  std::uint64_t on_disk_ = 0;          // with those in the buffer
  std::uint64_t file_bytes_ = 0;
};

}  // namespace ricercar::inline strategy
