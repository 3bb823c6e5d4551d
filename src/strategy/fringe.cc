#include "strategy/fringe.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "base/system_call.h"

namespace ricercar {

void Fringe::push(std::uint64_t priority, const Item& item) {
  bins_[priority].items.push_back(item);
  ++size_;
  if (memory_ != 0 && (size_ - on_disk_) * item_bytes > memory_) make_room();
}

Fringe::Item Fringe::pop() {
  const auto best = bins_.begin();
  Bin& bin = best->second;
  if (bin.items.empty()) read_chunk(bin);
  const Item item = bin.items.back();
  bin.items.pop_back();
  --size_;
  if (bin.items.empty() && bin.chunks.empty()) bins_.erase(best);
  return item;
}

// Half of what is in memory goes, from the lowest priority upwards.
void Fringe::make_room() {
  const std::uint64_t wanted = memory_ / 2 / item_bytes;
  for (auto bin = bins_.rbegin(); bin != bins_.rend(); ++bin) {
    std::vector<Item>& items = bin->second.items;
    while (!items.empty() && size_ - on_disk_ > wanted) {
      write_chunk(bin->second, std::min(items.size(), chunk_items));
    }
    items.shrink_to_fit();
    if (size_ - on_disk_ <= wanted) return;
  }
}

// The oldest ones of the bin.
void Fringe::write_chunk(Bin& bin, std::size_t count) {
  const bool is_new = free_places_.empty();
  const std::uint64_t place = is_new ? file_chunks_ : free_places_.back();
  transfer(bin.items.data(), count * item_bytes, place * chunk_items * item_bytes, true);
  if (is_new) {
    ++file_chunks_;
  } else {
    free_places_.pop_back();
  }
  bin.chunks.push_back({place, static_cast<std::uint32_t>(count)});
  bin.items.erase(bin.items.begin(), bin.items.begin() + static_cast<std::ptrdiff_t>(count));
  on_disk_ += count;
}

void Fringe::read_chunk(Bin& bin) {
  const Chunk chunk = bin.chunks.back();
  bin.items.resize(chunk.items);
  transfer(bin.items.data(), chunk.items * item_bytes, chunk.place * chunk_items * item_bytes,
           false);
  bin.chunks.pop_back();
  free_places_.push_back(chunk.place);
  on_disk_ -= chunk.items;
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

}  // namespace ricercar
