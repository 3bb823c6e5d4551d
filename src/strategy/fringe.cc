#include "strategy/fringe.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <stdexcept>

#include "base/kept.h"
#include "base/plain.h"
#include "base/system_call.h"

namespace ricercar::inline strategy {

Fringe::~Fringe() {
  for (auto& [priority, bin] : bins_) {
    while (bin.top != nullptr) drop(bin, bin.top);
  }
}

void Fringe::push(std::uint64_t priority, const Item& item) {
  Bin& bin = bins_[priority];
  push(bin, item);
  if (bin.ages.empty() || bin.ages.back().age != age_) bin.ages.push_back({age_, bin.size});
  ++bin.size;
  ++size_;
  if (memory_ != 0 && (size_ - on_disk_) * item_bytes > memory_) make_room();
}

void Fringe::push(Bin& bin, const Item& item) {
  if (bin.top == nullptr || bin.top->end == std::size(bin.top->items)) {
    auto* block = new Block;
    block->below = bin.top;
    block->above = nullptr;
    block->first = block->end = 0;
    (bin.top != nullptr ? bin.top->above : bin.bottom) = block;
    bin.top = block;
  }
  bin.top->items[bin.top->end++] = item;
}

void Fringe::drop(Bin& bin, Block* block) {
  (block->below != nullptr ? block->below->above : bin.bottom) = block->above;
  (block->above != nullptr ? block->above->below : bin.top) = block->below;
  delete block;
}

Fringe::Item Fringe::pop() {
  const auto best = bins_.begin();
  Bin& bin = best->second;
  if (bin.top == nullptr) read_chunk(bin);
  const Item item = bin.top->items[--bin.top->end];
  if (bin.top->end == bin.top->first) drop(bin, bin.top);
  --size_;
  if (--bin.size == bin.ages.back().first) bin.ages.pop_back();
  if (bin.top == nullptr && bin.chunks.empty()) bins_.erase(best);
  return item;
}

bool Fringe::take_oldest(Bin& bin, Item& item) {
  Block* block = bin.bottom;
  if (block == nullptr) return false;
  item = block->items[block->first++];
  if (block->first == block->end) drop(bin, block);
  return true;
}

// Half of what is in memory goes, from the lowest priority upwards.
void Fringe::make_room() {
  const std::uint64_t wanted = memory_ / 2 / item_bytes;
  for (auto bin = bins_.rbegin(); bin != bins_.rend(); ++bin) {
    while (bin->second.top != nullptr && size_ - on_disk_ > wanted) write_chunk(bin->second);
    if (size_ - on_disk_ <= wanted) return;
  }
}

// The oldest ones of the bin.
void Fringe::write_chunk(Bin& bin) {
  buffer_.clear();
  Item item;
  while (buffer_.size() < chunk_items && take_oldest(bin, item)) buffer_.push_back(item);
  const bool is_new = free_places_.empty();
  const std::uint64_t place = is_new ? file_chunks_ : free_places_.back();
  transfer(buffer_.data(), buffer_.size() * item_bytes, place * chunk_items * item_bytes, true);
  if (is_new) {
    ++file_chunks_;
  } else {
    free_places_.pop_back();
  }
  bin.chunks.push_back({place, static_cast<std::uint32_t>(buffer_.size())});
  on_disk_ += buffer_.size();
}

void Fringe::read_chunk(Bin& bin) {
  const Chunk chunk = bin.chunks.back();
  buffer_.resize(chunk.items);
  transfer(buffer_.data(), chunk.items * item_bytes, chunk.place * chunk_items * item_bytes, false);
  bin.chunks.pop_back();
  free_places_.push_back(chunk.place);
  for (const Item& item : buffer_) push(bin, item);
  on_disk_ -= chunk.items;
}

// From the bottom to the top.
std::vector<Fringe::Item> Fringe::items_of(const Bin& bin) const {
  std::vector<Item> items;
  for (const Chunk& chunk : bin.chunks) {
    const std::size_t first = items.size();
    items.resize(first + chunk.items);
    transfer(items.data() + first, chunk.items * item_bytes, chunk.place * chunk_items * item_bytes,
             false);
  }
  for (const Block* block = bin.bottom; block != nullptr; block = block->above) {
    items.insert(items.end(), block->items + block->first, block->items + block->end);
  }
  return items;
}

void Fringe::save(KeptOut& out) const {
  out(std::uint64_t{bins_.size()});
  for (const auto& [priority, bin] : bins_) {
    std::vector<Item> items = items_of(bin);
    out(priority, plain(items));
  }
}

void Fringe::load(KeptIn& in) {
  std::uint64_t bins = 0;
  for (in(bins); bins != 0; --bins) {
    std::uint64_t priority = 0;
    std::vector<Item> items;
    in(priority, plain(items));
    for (const Item& item : items) push(priority, item);
  }
}

void Fringe::transfer(void* data, std::size_t bytes, std::uint64_t offset, bool writes) const {
  const auto fail = [&](long error) {
    throw std::runtime_error(std::string("the executions that wait could not be ") +
                             (writes ? "written to " : "read from ") + file_ + ": " +
                             std::strerror(static_cast<int>(error)) +
                             " (--memory gives them more memory, --out another disk)");
  };
  const long descriptor = system_call(SYS_open, reinterpret_cast<long>(file_.c_str()),
                                      (writes ? O_RDWR | O_CREAT : O_RDONLY) | O_CLOEXEC, 0600);
  if (descriptor < 0) fail(-descriptor);
  auto* next = static_cast<char*>(data);
  long result = 0;
  for (std::size_t done = 0; done < bytes; done += static_cast<std::size_t>(result)) {
    result = system_call(writes ? SYS_pwrite64 : SYS_pread64, descriptor,
                         reinterpret_cast<long>(next + done), static_cast<long>(bytes - done),
                         static_cast<long>(offset + done));
    if (result <= 0) break;
  }
  system_call(SYS_close, descriptor);
  if (result <= 0) fail(result < 0 ? -result : EIO);
}

}  // namespace ricercar::inline strategy
