#include "threads/own_code.h"

#include <dlfcn.h>
#include <unwind.h>

#include <algorithm>
#include <cstring>

namespace ricercar::inline threads {
namespace {

int find_own(dl_phdr_info* object, std::size_t, void* result) {
  const AddressRange range = range_of(*object);
  if (!range.contains(reinterpret_cast<std::uint64_t>(&find_own))) return 0;
  *static_cast<AddressRange*>(result) = range;
  return 1;
}

struct Wanted {
  const char* name;
  AddressRange range;
};

int find_by_name(dl_phdr_info* object, std::size_t, void* argument) {
  auto& wanted = *static_cast<Wanted*>(argument);
  if (std::strstr(object->dlpi_name, wanted.name) == nullptr) return 0;
  wanted.range = range_of(*object);
  return 1;
}

int find_first(dl_phdr_info* object, std::size_t, void* result) {
  *static_cast<AddressRange*>(result) = range_of(*object);
  return 1;
}

struct Search {
  AddressRange range;
  std::uint64_t found = 0;
};

_Unwind_Reason_Code look_at_frame(_Unwind_Context* context, void* argument) {
  auto& search = *static_cast<Search*>(argument);
  const std::uint64_t address = _Unwind_GetIP(context);
  if (address == 0) return _URC_END_OF_STACK;
  if (!search.range.contains(address)) return _URC_NO_REASON;
  search.found = address;
  return _URC_END_OF_STACK;
}

AddressRange range_of_library(const char* name) {
  Wanted wanted{name, {}};
  dl_iterate_phdr(find_by_name, &wanted);
  return wanted.range;
}

}  // namespace

AddressRange range_of(const dl_phdr_info& object) {
  AddressRange range;
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const auto& header = object.dlpi_phdr[i];
    if (header.p_type != PT_LOAD) continue;
    range.low = std::min<std::uint64_t>(range.low, object.dlpi_addr + header.p_vaddr);
    range.high =
        std::max<std::uint64_t>(range.high, object.dlpi_addr + header.p_vaddr + header.p_memsz);
  }
  return range;
}

std::uint64_t place_in_executable() {
  Search search;
  dl_iterate_phdr(find_first, &search.range);  // the executable comes first
  _Unwind_Backtrace(look_at_frame, &search);
  return search.found;
}

bool program_has_own_malloc() {
  return !is_own_code(reinterpret_cast<std::uint64_t>(dlsym(RTLD_DEFAULT, "malloc")));
}

bool is_unwinder(std::uint64_t address) {
  static const AddressRange range = range_of_library("libgcc_s.so");
  return range.contains(address);
}

bool is_cxx_library(std::uint64_t address) {
  static const AddressRange range = range_of_library("libstdc++.so");
  return range.contains(address);
}

const AddressRange& own_range() {
  static const AddressRange range = [] {
    AddressRange found;
    dl_iterate_phdr(find_own, &found);
    return found;
  }();
  return range;
}

}  // namespace ricercar::inline threads
