#include <capstone/capstone.h>
#include <elfutils/libdw.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

#include "report/source_groups.h"

namespace ricercar::inline report {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_places = 4;

using Bytes = std::span<const std::uint8_t>;

struct MachineCode {
  std::uint64_t address = 0;
  Bytes bytes;
};

std::vector<MachineCode> executable_sections(Elf* file) {
  std::vector<MachineCode> result;
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(file, section)) != nullptr;) {
    GElf_Shdr header{};
    gelf_getshdr(section, &header);
    if ((header.sh_flags & SHF_EXECINSTR) == 0 || header.sh_type != SHT_PROGBITS) continue;
    const Elf_Data* data = elf_rawdata(section, nullptr);
    if (data == nullptr || data->d_buf == nullptr) continue;
    result.push_back(
        {header.sh_addr, {static_cast<const std::uint8_t*>(data->d_buf), data->d_size}});
  }
  return result;
}

// The part of a section from one address to another; empty: it is not there.
MachineCode code_between(const std::vector<MachineCode>& sections, std::uint64_t from,
                         std::uint64_t to) {
  for (const MachineCode& section : sections) {
    const std::uint64_t end = section.address + section.bytes.size();
    if (from < section.address || to > end) continue;
    return {from, section.bytes.subspan(from - section.address, to - from)};
  }
  return {};
}

// The byte of a lock prefix, or those of an exchange: there may be such an instruction. To decode
// everything would take long.
bool may_have_atomics(Bytes bytes) {
  constexpr std::uint8_t lock = 0xf0, exchange_byte = 0x86, exchange = 0x87;
  constexpr std::uint8_t with_register = 0xc0;
  for (std::size_t i = 0; i + 1 < bytes.size(); ++i) {
    const bool exchanges = (bytes[i] == exchange_byte || bytes[i] == exchange) &&
                           (bytes[i + 1] & with_register) != with_register;
    if (bytes[i] == lock || exchanges) return true;
  }
  return false;
}

bool is_atomic(const cs_insn& instruction) {
  const std::string_view name = instruction.mnemonic;
  if (name.starts_with("lock ")) return true;
  return name == "xchg" && std::strchr(instruction.op_str, '[') != nullptr;
}

class Disassembler {
 public:
  Disassembler() : is_open_(cs_open(CS_ARCH_X86, CS_MODE_64, &handle_) == CS_ERR_OK) {
    if (is_open_) cs_option(handle_, CS_OPT_SKIPDATA, CS_OPT_ON);
  }
  ~Disassembler() {
    if (is_open_) cs_close(&handle_);
  }
  Disassembler(const Disassembler&) = delete;
  Disassembler& operator=(const Disassembler&) = delete;

  // Calls visit(address) for each atomic instruction.
  template <typename Visit>
  void for_each_atomic(const MachineCode& code, Visit visit) const {
    if (!is_open_ || !may_have_atomics(code.bytes)) return;
    const std::unique_ptr<cs_insn, void (*)(cs_insn*)> instruction(
        cs_malloc(handle_), [](cs_insn* made) { cs_free(made, 1); });
    const std::uint8_t* next = code.bytes.data();
    std::size_t size = code.bytes.size();
    std::uint64_t address = code.address;
    while (cs_disasm_iter(handle_, &next, &size, &address, instruction.get())) {
      if (is_atomic(*instruction)) visit(instruction->address);
    }
  }

 private:
  csh handle_ = 0;
  bool is_open_;
};

std::string place_in_unit(Dwarf_Die& unit, std::uint64_t address) {
  Dwarf_Line* line = dwarf_getsrc_die(&unit, address);
  int number = 0;
  const char* source = dwarf_linesrc(line, nullptr, nullptr);
  if (line == nullptr || source == nullptr || dwarf_lineno(line, &number) != 0) return {};
  return fmt::format("{}:{}", fs::path(source).filename().string(), number);
}

class AssemblyFinder {
 public:
  AssemblyFinder(Elf* file, const std::set<std::string>& files)
      : files_(files), sections_(executable_sections(file)) {}

  void look_at(Dwarf_Die& unit) {
    const char* name = dwarf_diename(&unit);
    if (name == nullptr || !files_.contains(fs::path(name).filename())) return;
    Dwarf_Addr base = 0;
    Dwarf_Addr from = 0;
    Dwarf_Addr to = 0;
    for (std::ptrdiff_t at = 0; (at = dwarf_ranges(&unit, at, &base, &from, &to)) > 0;) {
      if (from == 0 || to <= from) continue;  // what the linker threw away begins at 0
      disassembler_.for_each_atomic(code_between(sections_, from, to), [&](std::uint64_t address) {
        add(place_in_unit(unit, address));
      });
    }
  }

  std::vector<std::string> places() && { return std::move(places_); }

 private:
  void add(std::string place) {
    const bool is_known = std::find(places_.begin(), places_.end(), place) != places_.end();
    if (!place.empty() && !is_known && places_.size() < most_places) {
      places_.push_back(std::move(place));
    }
  }

  const std::set<std::string>& files_;
  std::vector<MachineCode> sections_;
  Disassembler disassembler_;
  std::vector<std::string> places_;
};

}  // namespace

std::vector<std::string> atomic_assembly(Elf* file, const std::set<std::string>& files) {
  GElf_Ehdr header{};
  if (gelf_getehdr(file, &header) == nullptr || header.e_machine != EM_X86_64) return {};
  const std::unique_ptr<Dwarf, decltype(&dwarf_end)> dwarf(
      dwarf_begin_elf(file, DWARF_C_READ, nullptr), &dwarf_end);
  AssemblyFinder finder(file, files);
  Dwarf_CU* position = nullptr;
  Dwarf_Die die;
  std::uint8_t kind = 0;
  while (dwarf != nullptr &&
         dwarf_get_units(dwarf.get(), position, &position, nullptr, &kind, &die, nullptr) == 0) {
    finder.look_at(die);
  }
  return std::move(finder).places();
}

}  // namespace ricercar::inline report
