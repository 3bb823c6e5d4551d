#include "report/system_archives.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "report/elf_file.h"

namespace ricercar::inline report {
namespace {

namespace fs = std::filesystem;

using FunctionsByName = std::map<std::string, std::uint64_t, std::less<>>;  // and their sizes

void add_archives(const fs::path& folder, std::vector<fs::path>& archives) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".a") archives.push_back(entry.path());
  }
}

// Where gcc, clang and the packages of the system keep them.
std::vector<fs::path> all_archives() {
  std::vector<fs::path> archives;
  for (const char* folder : {"/usr/lib", "/usr/lib64", "/usr/lib/x86_64-linux-gnu"}) {
    add_archives(folder, archives);
  }
  std::error_code error;
  for (const char* compilers : {"/usr/lib/gcc/x86_64-linux-gnu", "/usr/lib/gcc/x86_64-redhat-linux",
                                "/usr/lib/gcc/x86_64-pc-linux-gnu"}) {
    for (const auto& version : fs::directory_iterator(compilers, error)) {
      add_archives(version.path(), archives);
    }
  }
  std::sort(archives.begin(), archives.end());
  return archives;
}

bool is_global_function(const GElf_Sym& symbol) {
  return GELF_ST_TYPE(symbol.st_info) == STT_FUNC && GELF_ST_BIND(symbol.st_info) == STB_GLOBAL &&
         symbol.st_shndx != SHN_UNDEF;
}

// An object in an archive.
struct Member {
  std::string
      source;  // or its own name: linkers take that where an object does not tell its source
  FunctionsByName functions;  // global ones
};

Member read_member(Elf* file) {
  Member member;
  const Elf_Arhdr* place = elf_getarhdr(file);
  if (place != nullptr && place->ar_name != nullptr) member.source = place->ar_name;
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(file, section)) != nullptr;) {
    GElf_Shdr header{};
    if (gelf_getshdr(section, &header) == nullptr || header.sh_type != SHT_SYMTAB) continue;
    Elf_Data* data = elf_getdata(section, nullptr);
    GElf_Sym symbol{};
    for (int i = 1; data != nullptr && gelf_getsym(data, i, &symbol) != nullptr; ++i) {
      const char* name = elf_strptr(file, header.sh_link, symbol.st_name);
      if (name == nullptr) continue;
      if (GELF_ST_TYPE(symbol.st_info) == STT_FILE) member.source = name;
      if (is_global_function(symbol)) member.functions[name] = symbol.st_size;
    }
  }
  return member;
}

// The places of the members that define one of the functions.
std::set<off_t> members_with(Elf* archive, const FunctionsByName& functions) {
  std::set<off_t> places;
  std::size_t count = 0;
  const Elf_Arsym* symbols = elf_getarsym(archive, &count);
  for (std::size_t i = 0; symbols != nullptr && i < count; ++i) {
    if (symbols[i].as_name == nullptr) continue;
    if (functions.contains(symbols[i].as_name)) {
      places.insert(static_cast<off_t>(symbols[i].as_off));
    }
  }
  return places;
}

bool is_in(const Member& member, const FunctionsByName& functions) {
  if (member.functions.empty()) return false;
  return std::all_of(member.functions.begin(), member.functions.end(), [&](const auto& function) {
    const auto found = functions.find(function.first);
    return found != functions.end() && found->second == function.second;
  });
}

class ArchiveSearch {
 public:
  explicit ArchiveSearch(const std::vector<FunctionSymbol>& functions) {
    for (const FunctionSymbol& function : functions) functions_[function.name] = function.size;
  }

  void look_into(const fs::path& path) {
    const ElfFile archive(path);
    if (archive.get() == nullptr || elf_kind(archive.get()) != ELF_K_AR) return;
    for (const off_t place : members_with(archive.get(), functions_)) {
      if (elf_rand(archive.get(), static_cast<std::size_t>(place)) == 0) continue;
      Elf* file = elf_begin(archive.descriptor(), ELF_C_READ_MMAP, archive.get());
      if (file == nullptr) continue;
      if (elf_kind(file) == ELF_K_ELF) add(read_member(file));
      elf_end(file);
    }
  }

  std::vector<std::string> finish(std::vector<FunctionSymbol>& functions) {
    std::erase_if(functions, [&](const FunctionSymbol& function) {
      return explained_.contains(function.name);
    });
    return std::move(sources_);
  }

 private:
  void add(const Member& member) {
    if (!is_in(member, functions_)) return;
    sources_.push_back(member.source);
    for (const auto& [name, size] : member.functions) explained_.insert(name);
  }

  FunctionsByName functions_;
  std::set<std::string, std::less<>> explained_;
  std::vector<std::string> sources_;
};

}  // namespace

std::vector<std::string> sources_from_system_archives(std::vector<FunctionSymbol>& functions) {
  ArchiveSearch search(functions);
  for (const fs::path& archive : all_archives()) search.look_into(archive);
  return search.finish(functions);
}

}  // namespace ricercar::inline report
