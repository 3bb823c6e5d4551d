#include "threads/memory/stream_writes.h"

#include <link.h>
#include <stdio.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstring>

#include "base/system_call.h"
#include "disk/watch.h"
#include "threads/memory/real_function.h"

namespace ricercar::inline threads {
namespace {

using WriteFunction = ssize_t (*)(FILE*, const void*, ssize_t);

constinit WriteFunction library_write = nullptr;

ssize_t write_of_stream(FILE* stream, const void* data, ssize_t size) {
  Writing noted(stream->_fileno, Writing::where_it_is, static_cast<std::uint64_t>(size));
  return noted.done(library_write(stream, data, size));
}

struct Tables {
  std::uint64_t inside;  // an address in the library that is looked for
  std::uint64_t start = 0;
  std::uint64_t end = 0;
};

// The part of the library that is written once, when it is loaded: its tables are there.
int find_tables(dl_phdr_info* library, std::size_t, void* argument) {
  auto& tables = *static_cast<Tables*>(argument);
  std::uint64_t start = 0, end = 0;
  for (int i = 0; i < library->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = library->dlpi_phdr[i];
    if (segment.p_type != PT_GNU_RELRO) continue;
    start = library->dlpi_addr + segment.p_vaddr;
    end = start + segment.p_memsz;
  }
  if (tables.inside < start || tables.inside >= end) return 0;
  tables.start = start;
  tables.end = end;
  return 1;
}

void replace_in(const Tables& tables) {
  const std::uint64_t step = sizeof(WriteFunction);
  for (std::uint64_t at = (tables.start + step - 1) / step * step; at + step <= tables.end;
       at += step) {
    auto* const place = reinterpret_cast<WriteFunction*>(at);
    if (*place == library_write) *place = write_of_stream;
  }
}

}  // namespace

void watch_stream_writes() {
  constexpr std::uint64_t page = 4096;
  const RuntimeAllocation allocation;
  library_write = reinterpret_cast<WriteFunction>(dlsym(RTLD_NEXT, "_IO_file_write"));
  Tables tables{reinterpret_cast<std::uint64_t>(dlsym(RTLD_NEXT, "_IO_file_jumps"))};
  if (library_write == nullptr || tables.inside == 0) return;
  if (dl_iterate_phdr(find_tables, &tables) == 0) return;
  auto* const first = reinterpret_cast<void*>(tables.start / page * page);
  const std::uint64_t size = (tables.end + page - 1) / page * page - tables.start / page * page;
  if (!protect_memory(first, size, PROT_READ | PROT_WRITE)) return;
  replace_in(tables);
  protect_memory(first, size, PROT_READ);
}

}  // namespace ricercar::inline threads
