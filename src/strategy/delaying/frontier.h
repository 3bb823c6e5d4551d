// The items of a stratified search that wait, first-in first-out. What does not fit into the memory
// that it is given goes to a file, without its saved state: it will be run from the start. The file
// is scratch of one search and never read by another one; each of its chunks carries the format's
// version and a checksum, and one that was damaged is refused. Where a search is kept
// (strategy/kept.h), what is in the file is kept with it.
//
// Not thread-safe. The file is opened for each use: the process that holds the strategy may be
// replaced, and the program under test may close every descriptor.
#pragma once

#include <deque>
#include <string>
#include <type_traits>
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

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(items_, plain(buffer_), in_buffer_);
    std::uint64_t chunks = chunks_.size();
    archive(chunks);
    if constexpr (std::is_same_v<Archive, KeptIn>) {
      for (; chunks != 0; --chunks) archive_chunk(archive, {});
      count_again();
    } else {
      for (const Chunk& chunk : chunks_) archive_chunk(archive, chunk);
    }
  }

 private:
  struct Chunk {
    std::uint64_t place;
    std::uint64_t bytes;
    std::uint64_t items;
  };

  using Numbers = std::vector<std::uint64_t>;

  template <typename Archive>
  void archive_chunk(Archive& archive, Chunk chunk) {
    constexpr bool reads = std::is_same_v<Archive, KeptIn>;
    Numbers numbers = reads ? Numbers() : chunk_at(chunk);
    archive(chunk.items, plain(numbers));
    if constexpr (reads) write_chunk(numbers, chunk.items);
  }

  void fetch_ahead() const;
  void encode(const SearchItem& item);
  void write_buffer();
  void write_chunk(Numbers& numbers, std::uint64_t items);
  void read_chunk();
  Numbers chunk_at(const Chunk& chunk) const;
  void decode(const Numbers& numbers, std::uint64_t items);
  void transfer(Numbers& numbers, std::uint64_t place, bool writes) const;
  void count_again();

  const std::uint64_t memory_;
  const std::string file_;
  std::deque<SearchItem> items_;  // before all that is on disk
  std::uint64_t bytes_ = 0;       // of them
  std::deque<Chunk> chunks_;
  Numbers buffer_;               // what comes behind the chunks: numbers, a header in front
  std::uint64_t in_buffer_ = 0;  // items
  std::uint64_t on_disk_ = 0;    // with those in the buffer
  std::uint64_t file_bytes_ = 0;
};

}  // namespace ricercar::inline strategy
