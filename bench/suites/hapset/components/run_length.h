// A small coder for blocks of bytes: runs of a byte become the byte and a count. A block that would
// get longer by that is stored as it is.
#pragma once

#include <cstddef>
#include <string>

namespace hapset {

constexpr char coded_mark = 'C';
constexpr char stored_mark = 'S';

inline std::string code_runs(const std::string& block) {
  constexpr std::size_t longest = 127;
  std::string coded(1, coded_mark);
  for (std::size_t i = 0; i < block.size();) {
    std::size_t end = i;
    while (end < block.size() && block[end] == block[i] && end - i < longest) ++end;
    coded.push_back(static_cast<char>(end - i));
    coded.push_back(block[i]);
    i = end;
  }
  return coded;
}

inline std::string compress(const std::string& block) {
  std::string coded = code_runs(block);
  return coded.size() <= block.size() ? coded : stored_mark + block;
}

inline std::string decompress(const std::string& bytes) {
  if (bytes.empty()) return {};
  if (bytes[0] == stored_mark) return bytes.substr(1);
  std::string block;
  for (std::size_t i = 1; i + 1 < bytes.size(); i += 2) {
    block.append(static_cast<std::size_t>(bytes[i]), bytes[i + 1]);
  }
  return block;
}

}  // namespace hapset
