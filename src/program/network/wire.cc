#include "network/wire.h"

namespace ricercar::network {
namespace {

constexpr std::size_t length_bytes = 4;

}  // namespace

void FrameBuffer::add(std::string_view bytes) {
  bytes_.erase(0, taken_);
  taken_ = 0;
  bytes_ += bytes;
}

std::optional<Frame> FrameBuffer::next() {
  const std::string_view rest = std::string_view(bytes_).substr(taken_);
  if (!mistake_.empty() || rest.size() < length_bytes) return {};
  const std::uint64_t length = Decoder(rest).fixed(length_bytes);
  if (length == 0) mistake_ = "an empty frame";
  if (length > largest_frame_) {
    mistake_ = "a frame of " + std::to_string(length) + " bytes; at most " +
               std::to_string(largest_frame_) + " are allowed";
  }
  if (!mistake_.empty() || rest.size() - length_bytes < length) return {};
  const auto kind = static_cast<std::uint8_t>(rest[length_bytes]);
  if (kind < static_cast<std::uint8_t>(FrameKind::hello) ||
      kind > static_cast<std::uint8_t>(FrameKind::refusal)) {
    mistake_ = "a frame of the unknown kind " + std::to_string(kind);
    return {};
  }
  taken_ += length_bytes + length;
  return Frame{static_cast<FrameKind>(kind), rest.substr(length_bytes + 1, length - 1)};
}

}  // namespace ricercar::network
