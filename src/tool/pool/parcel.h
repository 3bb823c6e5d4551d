// Bytes as they travel: compressed where that is worth it, with a checksum.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ricercar::inline pool {

std::string packed(std::string_view bytes);
// `to` has the size that they had; false: it is not what was packed.
bool unpack(std::string_view bytes, std::string& to);

std::uint32_t checksum(std::string_view bytes);

std::string to_parcel(std::string_view bytes);
// Throws UsageError if it is damaged.
std::string from_parcel(std::string_view parcel);

}  // namespace ricercar::inline pool
