#include "threads/imports.h"

#include <link.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "threads/own_code.h"

namespace ricercar::inline threads {
namespace {

// What a loaded object imports: the symbols in front of those in its hash table.
struct Imports {
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  const std::uint32_t* hash_table = nullptr;

  bool contain(const char* name) const {
    if (symbols == nullptr || names == nullptr || hash_table == nullptr) return false;
    for (std::uint32_t i = 1; i < hash_table[1]; ++i) {
      const bool is_import = symbols[i].st_shndx == SHN_UNDEF;
      if (is_import && std::strcmp(names + symbols[i].st_name, name) == 0) return true;
    }
    return false;
  }
};

Imports imports_of(const dl_phdr_info& object) {
  Imports imports;
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    if (object.dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    const auto* entry =
        reinterpret_cast<const ElfW(Dyn)*>(object.dlpi_addr + object.dlpi_phdr[i].p_vaddr);
    for (; entry->d_tag != DT_NULL; ++entry) {
      const auto* place = reinterpret_cast<const void*>(entry->d_un.d_ptr);
      if (entry->d_tag == DT_SYMTAB) imports.symbols = static_cast<const ElfW(Sym)*>(place);
      if (entry->d_tag == DT_STRTAB) imports.names = static_cast<const char*>(place);
      if (entry->d_tag == DT_GNU_HASH) {
        imports.hash_table = static_cast<const std::uint32_t*>(place);
      }
    }
  }
  return imports;
}

// The vDSO's tables are not where the loader would have put them, and libomp cancels and signals
// only its own monitor thread, which there is none of.
bool is_of_interest(const dl_phdr_info& object) {
  return std::strstr(object.dlpi_name, "vdso") == nullptr &&
         std::strstr(object.dlpi_name, "/libomp") == nullptr &&
         !own_range().contains(object.dlpi_addr);
}

struct Wanted {
  std::initializer_list<const char*> names;
  bool found = false;
};

int look_at_object(dl_phdr_info* object, std::size_t, void* argument) {
  auto& wanted = *static_cast<Wanted*>(argument);
  if (!is_of_interest(*object)) return 0;
  const Imports imports = imports_of(*object);
  wanted.found = std::any_of(wanted.names.begin(), wanted.names.end(),
                             [&](const char* name) { return imports.contain(name); });
  return wanted.found ? 1 : 0;
}

bool any_object_imports(std::initializer_list<const char*> names) {
  Wanted wanted{names};
  dl_iterate_phdr(look_at_object, &wanted);
  return wanted.found;
}

}  // namespace

void ProgramImports::look() {
  cancels = any_object_imports({"pthread_cancel"});
  signals =
      any_object_imports({"pthread_kill", "tgkill", "kill", "killpg", "sigqueue",
                          "pthread_sigqueue", "alarm", "ualarm", "setitimer", "timer_create"});
}

}  // namespace ricercar::inline threads
