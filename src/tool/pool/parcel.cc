#include "pool/parcel.h"

#include <zlib.h>

#include <cstring>

#include "base/check.h"
#include "base/error.h"

namespace ricercar::inline pool {
namespace {

constexpr std::size_t worth_packing = 1024;
constexpr std::uint64_t largest_parcel = std::uint64_t{1} << 32;

struct Label {
  std::uint64_t size;
  std::uint32_t checksum;
  std::uint32_t is_packed;
};

}  // namespace

std::string packed(std::string_view bytes) {
  uLongf size = ::compressBound(bytes.size());
  std::string result(size, '\0');
  const auto* from = reinterpret_cast<const Bytef*>(bytes.data());
  const int status =
      ::compress2(reinterpret_cast<Bytef*>(result.data()), &size, from, bytes.size(), Z_BEST_SPEED);
  RICERCAR_CHECK(status == Z_OK);
  result.resize(size);
  return result;
}

bool unpack(std::string_view bytes, std::string& to) {
  uLongf size = to.size();
  const auto* from = reinterpret_cast<const Bytef*>(bytes.data());
  return ::uncompress(reinterpret_cast<Bytef*>(to.data()), &size, from, bytes.size()) == Z_OK &&
         size == to.size();
}

std::uint32_t checksum(std::string_view bytes) {
  const auto* from = reinterpret_cast<const Bytef*>(bytes.data());
  return static_cast<std::uint32_t>(::crc32_z(0, from, bytes.size()));
}

std::string to_parcel(std::string_view bytes) {
  const bool is_packed = bytes.size() >= worth_packing;
  const Label label = {bytes.size(), checksum(bytes), is_packed ? 1U : 0U};
  std::string parcel(reinterpret_cast<const char*>(&label), sizeof label);
  parcel += is_packed ? packed(bytes) : std::string(bytes);
  return parcel;
}

std::string from_parcel(std::string_view parcel) {
  Label label = {};
  std::string bytes;
  bool is_whole = parcel.size() >= sizeof label;
  if (is_whole) {
    std::memcpy(&label, parcel.data(), sizeof label);
    parcel.remove_prefix(sizeof label);
    is_whole =
        label.size <= largest_parcel && (label.is_packed != 0 || label.size == parcel.size());
  }
  if (is_whole && label.is_packed == 0) bytes = parcel;
  if (is_whole && label.is_packed != 0) {
    bytes.resize(label.size);
    is_whole = unpack(parcel, bytes);
  }
  if (is_whole && checksum(bytes) == label.checksum) return bytes;
  throw UsageError("what came from the pool is damaged: its checksum is not that of its content");
}

}  // namespace ricercar::inline pool
