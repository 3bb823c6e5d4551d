#include "threads/memory/program_memory.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/auxv.h>

#include <cstdint>
#include <cstring>
#include <iterator>

extern "C" {
extern void* __libc_stack_end;         // where the kernel put the number of arguments
extern const ptrdiff_t __rseq_offset;  // from the thread pointer
}

namespace ricercar::inline threads {
namespace {

constexpr std::uint64_t page = 4096;

char* pointer(std::uint64_t address) { return reinterpret_cast<char*>(address); }

struct Span {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  bool contains(std::uint64_t address) const { return address >= low && address < high; }
};

Span span_of(const dl_phdr_info& object, const ElfW(Phdr) & header) {
  const std::uint64_t low = object.dlpi_addr + header.p_vaddr;
  return {low, low + header.p_memsz};
}

const ElfW(Phdr) * find_header(const dl_phdr_info& object, unsigned type) {
  for (unsigned i = 0; i < object.dlpi_phnum; ++i) {
    if (object.dlpi_phdr[i].p_type == type) return &object.dlpi_phdr[i];
  }
  return nullptr;
}

bool holds(const dl_phdr_info& object, const void* address) {
  for (unsigned i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = object.dlpi_phdr[i];
    if (header.p_type != PT_LOAD) continue;
    if (span_of(object, header).contains(reinterpret_cast<std::uint64_t>(address))) return true;
  }
  return false;
}

const char* base_name(const dl_phdr_info& object) {
  const char* slash = std::strrchr(object.dlpi_name, '/');
  return slash ? slash + 1 : object.dlpi_name;
}

bool starts_with(const char* text, const char* prefix) {
  return std::strncmp(text, prefix, std::strlen(prefix)) == 0;
}

bool is_left_out(const dl_phdr_info& object) {
  return holds(object, reinterpret_cast<const void*>(&find_segments)) || holds(object, &_r_debug) ||
         starts_with(base_name(object), "linux-vdso");
}

bool is_system_library(const dl_phdr_info& object) {
  static constexpr const char* names[] = {"libc.so.",     "libstdc++.so.",  "libm.so.",
                                          "libgcc_s.so.", "libpthread.so.", "libdl.so.",
                                          "librt.so.",    "libresolv.so.",  "libutil.so."};
  for (const char* name : names) {
    if (starts_with(base_name(object), name)) return true;
  }
  return false;
}

Span relocated_read_only(const dl_phdr_info& object) {
  const auto* header = find_header(object, PT_GNU_RELRO);
  if (header == nullptr) return {};
  const Span span = span_of(object, *header);
  return {span.low, span.high & ~(page - 1)};  // ld.so protects whole pages only
}

// The slots of functions that are bound at their first call.
Span lazy_functions(const dl_phdr_info& object) {
  const auto* header = find_header(object, PT_DYNAMIC);
  if (header == nullptr) return {};
  std::uint64_t table = 0;
  std::uint64_t relocations = 0;
  const auto* entry = reinterpret_cast<const ElfW(Dyn)*>(object.dlpi_addr + header->p_vaddr);
  for (; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_PLTGOT) table = entry->d_un.d_ptr;
    if (entry->d_tag == DT_PLTRELSZ) relocations = entry->d_un.d_val / sizeof(ElfW(Rela));
  }
  if (table == 0) return {};
  return {table, table + (3 + relocations) * sizeof(void*)};
}

// How many threads libc knows of. The runtime creates real threads after the snapshot, and a count
// that is too low would end the process with a thread that ends.
Span thread_count() {
  const auto low = reinterpret_cast<std::uint64_t>(dlsym(RTLD_DEFAULT, "__nptl_nthreads"));
  return {low, low == 0 ? 0 : low + sizeof(unsigned)};
}

// Adds a segment without the holes, which come in ascending order.
void add_without(ProgramRanges& found, Span segment, const Span* holes, std::size_t count,
                 bool rarely_written) {
  std::uint64_t next = segment.low;
  std::uint64_t added = 0;  // the end of what is in the ranges already
  for (std::size_t i = 0; i < count; ++i) {
    const Span hole = holes[i];
    if (hole.low >= hole.high || hole.low >= segment.high || hole.high <= next) continue;
    found.add(pointer(next), pointer(hole.low), rarely_written);
    if (next < hole.low) added = hole.low;
    next = hole.high;
  }
  if (next >= segment.high) return;
  const bool owns_first_page = next != segment.low && added <= (next & ~(page - 1));
  found.add({pointer(next), segment.high - next, rarely_written, owns_first_page, true});
}

int add_segments(dl_phdr_info* object, std::size_t, void* argument) {
  if (is_left_out(*object)) return 0;
  const Span holes[] = {relocated_read_only(*object), lazy_functions(*object), thread_count()};
  for (unsigned i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = object->dlpi_phdr[i];
    if (header.p_type != PT_LOAD || !(header.p_flags & PF_W)) continue;
    add_without(*static_cast<ProgramRanges*>(argument), span_of(*object, header), holes,
                std::size(holes), is_system_library(*object));
  }
  return 0;
}

int add_thread_variables(dl_phdr_info* object, std::size_t, void* argument) {
  const auto* header = find_header(*object, PT_TLS);
  if (header == nullptr || object->dlpi_tls_data == nullptr || is_left_out(*object)) return 0;
  char* start = static_cast<char*>(object->dlpi_tls_data);
  static_cast<ProgramRanges*>(argument)->add(start, start + header->p_memsz, false);
  return 0;
}

std::uint64_t thread_pointer() {
  return reinterpret_cast<std::uint64_t>(__builtin_thread_pointer());
}

int looks_dynamic(dl_phdr_info* object, std::size_t, void*) {
  const auto* header = find_header(*object, PT_TLS);
  if (header == nullptr || header->p_memsz == 0) return 0;
  const auto data = reinterpret_cast<std::uint64_t>(object->dlpi_tls_data);
  constexpr std::uint64_t most = 64 << 20;
  return data > thread_pointer() || thread_pointer() - data > most;
}

}  // namespace

void find_segments(ProgramRanges& found) { dl_iterate_phdr(add_segments, &found); }

void find_thread_storage(ProgramRanges& found) {
  dl_iterate_phdr(add_thread_variables, &found);
  const ThreadDescriptorPart part = thread_descriptor_part();
  char* start = pointer(thread_pointer() + part.offset);
  found.add(start, start + part.size, false);
}

void find_initial_stack(ProgramRanges& found) {
  const auto* name = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  char* start = static_cast<char*>(__libc_stack_end);
  if (name == nullptr || name < start) return;
  found.add(start, pointer(reinterpret_cast<std::uint64_t>(name) + std::strlen(name) + 1), true);
}

// libc describes the layout of its thread descriptor for debuggers: bits, elements and offset of a
// field. Before the table of thread-specific values come its first block and, in this order, the
// list of robust mutexes, two pointers to cleanup handlers and two integers; behind it everything
// up to the area that the kernel writes to (restartable sequences) belongs to libc and the program.
ThreadDescriptorPart thread_descriptor_part() {
  constexpr std::size_t before_values = 24 + 16 + 8;
  constexpr std::size_t first_block = 512;
  constexpr std::size_t before = before_values + first_block;
  constexpr std::size_t pointers = 32 * sizeof(void*);
  constexpr std::size_t table = pointers + 1;
  const auto* field =
      static_cast<const std::uint32_t*>(dlsym(RTLD_DEFAULT, "_thread_db_pthread_specific"));
  if (field == nullptr || field[2] < before) return {0, 0, 0, 0};
  const std::size_t start = field[2] - before;
  const auto end = static_cast<std::size_t>(__rseq_offset);
  const bool knows_end = end > field[2] + table && end < 4096;
  return {start, knows_end ? end - start : before + table, before_values, first_block + pointers};
}

bool has_dynamic_thread_storage() { return dl_iterate_phdr(looks_dynamic, nullptr) != 0; }

}  // namespace ricercar::inline threads
