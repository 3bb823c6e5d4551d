// Plain data, to be kept as its bytes (base/kept.h): structs of numbers without pointers.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

namespace ricercar::inline base {

class KeptIn;
class KeptOut;

template <typename T>
class PlainObject {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  explicit PlainObject(T& object) : object_(object) {}
  template <typename Archive>
  void serialize(Archive& archive) {
    archive.pass(&object_, sizeof(T));
  }

 private:
  T& object_;
};

template <typename T>
class PlainList {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  explicit PlainList(std::vector<T>& list) : list_(list) {}
  template <typename Archive>
  void serialize(Archive& archive) {
    std::uint64_t size = list_.size();
    archive(size);
    list_.resize(size);
    archive.pass(list_.data(), size * sizeof(T));
  }

 private:
  std::vector<T>& list_;
};

template <typename T>
PlainObject<T> plain(T& object) {
  return PlainObject<T>(object);
}
template <typename T>
PlainList<T> plain(std::vector<T>& list) {
  return PlainList<T>(list);
}

}  // namespace ricercar::inline base
