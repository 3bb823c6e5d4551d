#include "report/block_sites.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <span>
#include <string_view>

#include "report/elf_file.h"

namespace ricercar::inline report {
namespace {

constexpr std::string_view function_of_blocks = "__sanitizer_cov_trace_pc";

using Addresses = std::set<std::uint64_t>;

struct Code {
  std::uint64_t address = 0;
  std::span<const unsigned char> bytes;

  // Whether these bytes end right before `at`.
  bool has_before(std::size_t at, std::initializer_list<unsigned char> wanted) const {
    return at >= wanted.size() &&
           std::equal(wanted.begin(), wanted.end(), bytes.begin() + (at - wanted.size()));
  }
  // Where the four bytes from `at` on lead to: they count from what follows them.
  std::uint64_t target(std::size_t at) const {
    std::int32_t distance = 0;
    std::memcpy(&distance, bytes.data() + at, sizeof distance);
    return address + at + sizeof distance + static_cast<std::uint64_t>(std::int64_t{distance});
  }
};

template <typename Visit>
void for_each_section(Elf* file, Visit visit) {
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(file, section)) != nullptr;) {
    GElf_Shdr header{};
    if (gelf_getshdr(section, &header) != nullptr) visit(section, header);
  }
}

std::string_view symbol_name(Elf* file, std::uint32_t table, std::uint64_t number) {
  Elf_Scn* section = elf_getscn(file, table);
  GElf_Shdr header{};
  GElf_Sym symbol{};
  if (section == nullptr || gelf_getshdr(section, &header) == nullptr) return {};
  if (gelf_getsym(elf_getdata(section, nullptr), static_cast<int>(number), &symbol) == nullptr) {
    return {};
  }
  const char* name = elf_strptr(file, header.sh_link, symbol.st_name);
  return name == nullptr ? "" : name;
}

// Where the loader writes the address of the function.
Addresses entries_of_function(Elf* file) {
  Addresses entries;
  for_each_section(file, [&](Elf_Scn* section, const GElf_Shdr& header) {
    if (header.sh_type != SHT_RELA) return;
    GElf_Rela relocation{};
    for (int i = 0; gelf_getrela(elf_getdata(section, nullptr), i, &relocation) != nullptr; ++i) {
      const std::uint64_t symbol = GELF_R_SYM(relocation.r_info);
      if (symbol != 0 && symbol_name(file, header.sh_link, symbol) == function_of_blocks) {
        entries.insert(relocation.r_offset);
      }
    }
  });
  return entries;
}

std::vector<Code> code_of(Elf* file) {
  std::vector<Code> parts;
  for_each_section(file, [&](Elf_Scn* section, const GElf_Shdr& header) {
    if (header.sh_type != SHT_PROGBITS || (header.sh_flags & SHF_EXECINSTR) == 0) return;
    const Elf_Data* data = elf_rawdata(section, nullptr);
    if (data == nullptr || data->d_buf == nullptr) return;
    parts.push_back(
        {header.sh_addr, {static_cast<const unsigned char*>(data->d_buf), data->d_size}});
  });
  return parts;
}

// Calls `visit(at)` where these bytes and four more are.
template <typename Visit>
void for_each_match(const Code& code, std::string_view opening, Visit visit) {
  const std::string_view all(reinterpret_cast<const char*>(code.bytes.data()), code.bytes.size());
  for (std::size_t at = all.find(opening); at != std::string_view::npos;
       at = all.find(opening, at + 1)) {
    if (at + opening.size() + sizeof(std::int32_t) <= all.size()) visit(at);
  }
}

constexpr std::string_view jump_through = "\xff\x25";
constexpr std::string_view call_through = "\xff\x15";
constexpr std::string_view call = "\xe8";

// The bytes that jump on to the function, with what may come before the jump.
void add_stubs(const Code& code, const Addresses& entries, Addresses& stubs) {
  for_each_match(code, jump_through, [&](std::size_t at) {
    if (!entries.contains(code.target(at + jump_through.size()))) return;
    std::size_t begin = code.has_before(at, {0xf2}) ? at - 1 : at;
    stubs.insert(code.address + at);
    stubs.insert(code.address + begin);
    if (code.has_before(begin, {0xf3, 0x0f, 0x1e, 0xfa})) stubs.insert(code.address + begin - 4);
  });
}

void add_calls(const Code& code, std::string_view opening, const Addresses& targets,
               std::vector<std::uint64_t>& sites) {
  for_each_match(code, opening, [&](std::size_t at) {
    const std::size_t distance = at + opening.size();
    if (targets.contains(code.target(distance))) {
      sites.push_back(code.address + distance + sizeof(std::int32_t));
    }
  });
}

}  // namespace

std::vector<std::uint64_t> block_sites(const std::string& path) {
  const ElfFile file(path);
  if (!file.is_elf()) return {};
  const Addresses entries = entries_of_function(file.get());
  if (entries.empty()) return {};
  const std::vector<Code> parts = code_of(file.get());
  Addresses stubs;
  for (const Code& code : parts) add_stubs(code, entries, stubs);
  std::vector<std::uint64_t> sites;
  for (const Code& code : parts) {
    add_calls(code, call, stubs, sites);
    add_calls(code, call_through, entries, sites);
  }
  std::sort(sites.begin(), sites.end());
  return sites;
}

}  // namespace ricercar::inline report
