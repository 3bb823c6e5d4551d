#include "report/source_groups.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.h"

namespace ricercar::inline report {
namespace {

// The names that g++ and clang give to the constructor that calls __tsan_init.
constexpr std::array constructors = {"_sub_I_00099_0", "tsan.module_ctor"};
constexpr std::string_view outside_mark = "ricercar_code_outside";
constexpr std::array start_files = {"crtstuff.c", "crtbegin.c", "crtend.c", "Scrt1.o", "crt1.o",
                                    "gcrt1.o",    "rcrt1.o",    "crti.o",   "crtn.o"};
constexpr std::array start_functions = {"_start", "_init", "_fini", "_dl_relocate_static_pie",
                                        "__clang_call_terminate"};
// A test framework that is compiled with the test runs on the thread of the test.
constexpr std::array framework_files = {"gtest-all.cc", "gtest_main.cc", "gmock-all.cc",
                                        "gmock_main.cc"};
// The linker's own symbols, which have no file.
constexpr std::array linker_symbols = {"_DYNAMIC", "_GLOBAL_OFFSET_TABLE_", "__GNU_EH_FRAME_HDR"};

bool is_one_of(std::string_view name, const auto& table) {
  return std::find(table.begin(), table.end(), name) != table.end();
}

// g++ leaves no name; lld and the gold plugin of clang this one.
bool is_name_of_optimised(std::string_view name) { return name.empty() || name == "ld-temp.o"; }

Elf_Scn* section_of_type(Elf* file, std::uint32_t type, GElf_Shdr& header) {
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(file, section)) != nullptr;) {
    if (gelf_getshdr(section, &header) != nullptr && header.sh_type == type) return section;
  }
  return nullptr;
}

// Calls `visit(name, symbol)` for each symbol of the table; false if there is no such table.
template <typename Visit>
bool for_each_symbol(Elf* file, std::uint32_t type, Visit visit) {
  GElf_Shdr header{};
  Elf_Scn* section = section_of_type(file, type, header);
  Elf_Data* data = section == nullptr ? nullptr : elf_getdata(section, nullptr);
  if (data == nullptr) return false;
  GElf_Sym symbol{};
  for (int i = 1; gelf_getsym(data, i, &symbol) != nullptr; ++i) {
    const char* name = elf_strptr(file, header.sh_link, symbol.st_name);
    visit(std::string_view(name == nullptr ? "" : name), symbol);
  }
  return true;
}

class Reader {
 public:
  void add(std::string_view name, const GElf_Sym& symbol) {
    const int type = GELF_ST_TYPE(symbol.st_info);
    if (type == STT_FILE) return begin(name);
    const bool is_function = type == STT_FUNC && symbol.st_shndx != SHN_UNDEF && symbol.st_size > 0;
    if (GELF_ST_BIND(symbol.st_info) == STB_LOCAL) return add_local(name, symbol, is_function);
    if (is_function) add_function(name, symbol);
  }

  SourceGroups finish(bool are_known) {
    for (SourceGroup& group : result_.groups) finish(group);
    result_.are_known = are_known;
    return std::move(result_);
  }

 private:
  void begin(std::string_view name) {
    SourceGroup group;
    group.name = name.substr(name.rfind('/') + 1);
    group.is_linkers = is_one_of(group.name, start_files);
    group.is_outside = is_one_of(group.name, framework_files);
    result_.groups.push_back(std::move(group));
  }

  void add_local(std::string_view name, const GElf_Sym& symbol, bool is_function) {
    if (result_.groups.empty()) return;
    SourceGroup& group = result_.groups.back();
    // Link-time optimisation numbers what it finds twice.
    group.is_instrumented |= is_function && starts_with_one_of(name, constructors);
    group.is_outside |= name == outside_mark;
    group.is_linkers |= group.name.empty() && is_one_of(name, linker_symbols);
    if (!is_function) return;
    // Hidden functions of all files stand behind the linker's own symbols.
    group.has_functions = true;
    if (group.name.empty()) add_function(name, symbol);
  }

  void add_function(std::string_view name, const GElf_Sym& symbol) {
    if (is_one_of(name, start_functions)) return;
    const bool is_global = GELF_ST_BIND(symbol.st_info) == STB_GLOBAL;
    result_.functions.push_back({std::string(name), symbol.st_value, symbol.st_size, is_global});
  }

  static void finish(SourceGroup& group) {
    group.is_optimised = !group.is_linkers && is_name_of_optimised(group.name);
    // It may have been made of several files, of which only one needs to have the constructor.
    if (group.is_optimised) group.is_instrumented = false;
  }

  SourceGroups result_;
};

}  // namespace

SourceGroups source_groups(Elf* file) {
  Reader reader;
  const bool are_known = for_each_symbol(
      file, SHT_SYMTAB,
      [&](std::string_view name, const GElf_Sym& symbol) { reader.add(name, symbol); });
  return reader.finish(are_known);
}

bool asks_for_instrumentation(Elf* file) {
  bool asks = false;
  for_each_symbol(file, SHT_DYNSYM, [&](std::string_view name, const GElf_Sym& symbol) {
    asks |= symbol.st_shndx == SHN_UNDEF && name.starts_with("__tsan_");
  });
  return asks;
}

}  // namespace ricercar::inline report
