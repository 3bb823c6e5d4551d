#include "strategy/delaying/frontier.h"

#include <errno.h>
#include <fcntl.h>

#include <cstring>
#include <stdexcept>

#include "base/random.h"
#include "base/system_call.h"

namespace ricercar::inline strategy {
namespace {

constexpr std::uint64_t version = 0x32746e6672637265;  // "ercrfnt2"
constexpr std::size_t header = 2;                      // the version and a checksum
constexpr std::size_t chunk_numbers = 1 << 15;

std::uint64_t checksum(const std::vector<std::uint64_t>& numbers) {
  std::uint64_t sum = numbers.size();
  for (std::size_t i = header; i < numbers.size(); ++i) sum = mix64(sum ^ numbers[i]);
  return sum;
}

}  // namespace

void Frontier::push(SearchItem item) {
  const std::uint64_t size = item.bytes();
  if (on_disk_ == 0 && (memory_ == 0 || bytes_ + size <= memory_)) {
    bytes_ += size;
    items_.push_back(std::move(item));
    return;
  }
  encode(item);
  ++in_buffer_;
  ++on_disk_;
  if (buffer_.size() >= chunk_numbers) write_buffer();
}

// What an item needs is likely to be far away in memory: it is fetched some items before.
void Frontier::fetch_ahead() const {
  if (items_.size() <= 10) return;
  if (const ReturnPlace* place = items_[10].place.get()) __builtin_prefetch(place);
  if (const ReturnPlace* place = items_[8].place.get()) {
    __builtin_prefetch(place->saved.get());
    __builtin_prefetch(reinterpret_cast<const char*>(place->saved.get()) + 64);
  }
  for (std::uint32_t part = 0; part < 3; ++part) {
    const SearchItem& item = items_[6 - 2 * part];
    if (!item.place || item.last.chosen >= item.place->options) continue;
    item.place->saved->prefetch(part, task_id(item.place->order[item.last.chosen]));
  }
}

SearchItem Frontier::pop() {
  if (items_.empty()) read_chunk();
  fetch_ahead();
  SearchItem item = std::move(items_.front());
  items_.pop_front();
  bytes_ -= std::min(bytes_, item.bytes());
  return item;
}

void Frontier::encode(const SearchItem& item) {
  if (buffer_.empty()) buffer_.resize(header);
  const std::vector<Deviation> deviations = item.deviations();
  buffer_.push_back(deviations.size());
  for (const Deviation& deviation : deviations) {
    buffer_.push_back(std::uint64_t{deviation.depth} << 32 | deviation.chosen);
  }
  buffer_.push_back(std::uint64_t{item.is_value} << 32 | item.options);
  buffer_.push_back(item.cost);
}

void Frontier::decode(const Numbers& numbers, std::uint64_t items) {
  std::size_t next = header;
  for (; items > 0; --items) {
    SearchItem& item = items_.emplace_back();
    std::vector<Deviation> deviations(numbers[next++]);
    for (Deviation& deviation : deviations) {
      const std::uint64_t packed = numbers[next++];
      deviation = {static_cast<std::uint32_t>(packed >> 32), static_cast<std::uint32_t>(packed)};
    }
    item.set_deviations(std::move(deviations));
    item.is_value = numbers[next] >> 32 != 0;
    item.options = static_cast<std::uint32_t>(numbers[next++]);
    item.cost = numbers[next++];
    bytes_ += item.bytes();
  }
}

void Frontier::write_buffer() {
  write_chunk(buffer_, in_buffer_);
  buffer_.clear();
  in_buffer_ = 0;
}

void Frontier::write_chunk(Numbers& numbers, std::uint64_t items) {
  numbers[0] = version;
  numbers[1] = checksum(numbers);
  transfer(numbers, file_bytes_, true);
  const std::uint64_t bytes = numbers.size() * sizeof(std::uint64_t);
  chunks_.push_back({file_bytes_, bytes, items});
  file_bytes_ += bytes;
}

// The oldest of what is not in memory comes back.
void Frontier::read_chunk() {
  if (chunks_.empty()) {
    decode(buffer_, in_buffer_);
    on_disk_ -= in_buffer_;
    in_buffer_ = 0;
    buffer_.clear();
    return;
  }
  const Chunk chunk = chunks_.front();
  decode(chunk_at(chunk), chunk.items);
  on_disk_ -= chunk.items;
  chunks_.pop_front();
  if (chunks_.empty()) file_bytes_ = 0;
}

Frontier::Numbers Frontier::chunk_at(const Chunk& chunk) const {
  Numbers numbers(chunk.bytes / sizeof(std::uint64_t));
  transfer(numbers, chunk.place, false);
  if (numbers[0] == version && numbers[1] == checksum(numbers)) return numbers;
  throw std::runtime_error("what waits to be explored was written to " + file_ +
                           ", and something has changed that file since: the search cannot go "
                           "on (--memory gives it more memory, --out another folder)");
}

void Frontier::transfer(Numbers& numbers, std::uint64_t place, bool writes) const {
  const auto fail = [&](long error) {
    throw std::runtime_error(std::string("what waits to be explored could not be ") +
                             (writes ? "written to " : "read from ") + file_ + ": " +
                             std::strerror(static_cast<int>(error)) +
                             " (--memory gives it more memory, --out another disk)");
  };
  const long descriptor = system_call(SYS_open, as_argument(file_.c_str()),
                                      (writes ? O_RDWR | O_CREAT : O_RDONLY) | O_CLOEXEC, 0600);
  if (descriptor < 0) fail(-descriptor);
  auto* data = reinterpret_cast<char*>(numbers.data());
  const std::size_t bytes = numbers.size() * sizeof(std::uint64_t);
  long result = 1;
  for (std::size_t done = 0; done < bytes && result > 0; done += static_cast<std::size_t>(result)) {
    result = system_call(writes ? SYS_pwrite64 : SYS_pread64, descriptor, as_argument(data + done),
                         static_cast<long>(bytes - done), static_cast<long>(place + done));
    if (result <= 0) break;
  }
  system_call(SYS_close, descriptor);
  if (result <= 0) fail(result < 0 ? -result : EIO);
}

void Frontier::count_again() {
  bytes_ = 0;
  for (const SearchItem& item : items_) bytes_ += item.bytes();
  on_disk_ = in_buffer_;
  for (const Chunk& chunk : chunks_) on_disk_ += chunk.items;
}

}  // namespace ricercar::inline strategy
