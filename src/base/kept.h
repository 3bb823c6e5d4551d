// What a search keeps of itself for another process, maybe on another day: numbers, one after the
// other, in the order of this machine's processor, without names and without addresses of the
// process that wrote them. A class says what of it is kept by a template `serialize(archive)`, as
// cereal has it; a header that does so need not include this one.
//
// Not thread-safe. What is read was checked before to be what was written (cli/checkpoint.h); a
// reader never goes beyond its end all the same.
#pragma once

#include <cereal/cereal.hpp>
#include <cereal/types/array.hpp>
#include <cereal/types/deque.hpp>
#include <cereal/types/map.hpp>
#include <cereal/types/optional.hpp>
#include <cereal/types/set.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/tuple.hpp>
#include <cereal/types/unordered_map.hpp>
#include <cereal/types/unordered_set.hpp>
#include <cereal/types/utility.hpp>
#include <cereal/types/vector.hpp>
#include <cstddef>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace ricercar::inline base {

class KeptOut : public cereal::OutputArchive<KeptOut, cereal::AllowEmptyClassElision> {
 public:
  KeptOut() : OutputArchive(this) {}

  void pass(const void* data, std::size_t size) {
    const auto* first = static_cast<const char*>(data);
    bytes_.insert(bytes_.end(), first, first + size);
  }
  std::span<const char> bytes() const { return bytes_; }

 private:
  std::vector<char> bytes_;
};

class KeptIn : public cereal::InputArchive<KeptIn, cereal::AllowEmptyClassElision> {
 public:
  // The bytes must outlive it.
  explicit KeptIn(std::span<const char> bytes) : InputArchive(this), rest_(bytes) {}

  void pass(void* data, std::size_t size) {
    if (size > rest_.size()) throw std::runtime_error("a kept search ends too early");
    if (size != 0) std::memcpy(data, rest_.data(), size);
    rest_ = rest_.subspan(size);
  }
  bool is_at_end() const { return rest_.empty(); }

 private:
  std::span<const char> rest_;
};

// How cereal passes what everything else is made of.
template <typename Number>
requires std::is_arithmetic_v<Number>
void save(KeptOut& out, const Number& number) { out.pass(&number, sizeof number); }
template <typename Number>
requires std::is_arithmetic_v<Number>
void load(KeptIn& in, Number& number) { in.pass(&number, sizeof number); }

template <typename T>
void save(KeptOut& out, const cereal::BinaryData<T>& data) {
  out.pass(data.data, data.size);
}
template <typename T>
void load(KeptIn& in, cereal::BinaryData<T>& data) {
  in.pass(data.data, data.size);
}

template <typename Archive, typename T>
requires std::is_same_v<Archive, KeptOut> || std::is_same_v<Archive, KeptIn>
void serialize(Archive& archive, cereal::SizeTag<T>& size) { archive(size.size); }
template <typename Archive, typename T>
requires std::is_same_v<Archive, KeptOut> || std::is_same_v<Archive, KeptIn>
void serialize(Archive& archive, cereal::NameValuePair<T>& pair) { archive(pair.value); }

}  // namespace ricercar::inline base

CEREAL_SETUP_ARCHIVE_TRAITS(ricercar::KeptIn, ricercar::KeptOut)
