// Arrays in the shared heap of a search: what the tool and the worker tell each other.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "base/search_heap.h"
#include "model/recording.h"

namespace ricercar::inline model {

template <typename T>
Array<T> to_shared(std::span<const T> values) {
  const SharedAllocation shared;
  T* copy = search_allocate_array<T>(values.size());
  std::copy(values.begin(), values.end(), copy);
  return {copy, values.size()};
}

template <typename T>
Array<T> to_shared(const std::vector<T>& values) {
  return to_shared(std::span<const T>(values));
}

}  // namespace ricercar::inline model
