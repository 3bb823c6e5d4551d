#include "report/instrumentation.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <set>

#include "report/elf_file.h"
#include "report/executable.h"
#include "report/source_groups.h"
#include "report/system_archives.h"

namespace ricercar::inline report {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t listed_limit = 8;
constexpr const char* gcc_optimised_unit = "<artificial>";

// A compilation unit of the debug information.
struct Unit {
  std::string path;
  std::string name;  // without folders
  bool is_assembly = false;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> code;  // from, to
};

std::string text_of(Dwarf_Die& die, unsigned attribute_name) {
  Dwarf_Attribute attribute;
  const char* text = dwarf_formstring(dwarf_attr(&die, attribute_name, &attribute));
  return text == nullptr ? "" : text;
}

Unit unit_of(Dwarf_Die& die) {
  Unit unit;
  const std::string name = text_of(die, DW_AT_name);
  unit.path = (fs::path(text_of(die, DW_AT_comp_dir)) / name).lexically_normal();
  unit.name = fs::path(name).filename();
  unit.is_assembly = dwarf_srclang(&die) == DW_LANG_Mips_Assembler;
  Dwarf_Addr base = 0;
  Dwarf_Addr from = 0;
  Dwarf_Addr to = 0;
  for (std::ptrdiff_t at = 0; (at = dwarf_ranges(&die, at, &base, &from, &to)) > 0;) {
    // What the linker threw away begins at 0.
    if (from != 0 && to > from) unit.code.emplace_back(from, to);
  }
  return unit;
}

std::vector<Unit> units_of(Elf* file) {
  const std::unique_ptr<Dwarf, decltype(&dwarf_end)> dwarf(
      dwarf_begin_elf(file, DWARF_C_READ, nullptr), &dwarf_end);
  std::vector<Unit> units;
  Dwarf_CU* position = nullptr;
  Dwarf_Die die;
  std::uint8_t kind = 0;
  while (dwarf != nullptr &&
         dwarf_get_units(dwarf.get(), position, &position, nullptr, &kind, &die, nullptr) == 0) {
    if (kind == DW_UT_compile || kind == DW_UT_skeleton) units.push_back(unit_of(die));
  }
  return units;
}

// Decides about the files of one module that have no mark of instrumentation.
class Module {
 public:
  Module(std::string path, Elf* file, SourceGroups groups)
      : path_(std::move(path)),
        file_(file),
        groups_(std::move(groups)),
        units_(units_of(file)),
        unwinding_(dwarf_getcfi_elf(file), &dwarf_cfi_end) {
    remove_functions_of_instrumented_files();
    if (groups_.functions.empty()) return;
    for (std::string& source : sources_from_system_archives(groups_.functions)) {
      system_sources_.insert(std::move(source));
    }
  }

  std::vector<UninstrumentedCode> find() {
    for (const SourceGroup& group : groups_.groups) {
      if (is_suspect(group)) decide(group);
    }
    if (result_.empty()) look_for_nameless_code();
    look_for_assembly();
    return std::move(result_);
  }

  static bool is_suspect(const SourceGroup& group) {
    return !group.is_instrumented && !group.is_linkers && !group.is_outside;
  }

 private:
  // An object that was stripped leaves no trace but its functions. Those of instrumented files are
  // told apart by debug information.
  void look_for_nameless_code() {
    for (const SourceGroup& group : groups_.groups) {
      if ((group.is_instrumented || group.is_outside) && !has_unit(group.name)) return;
    }
    for (const FunctionSymbol& function : groups_.functions) {
      // Compilers make functions of their own for virtual and thread-local things.
      if (!function.is_global || function.name.starts_with("_ZT")) continue;
      if (!is_compiled(function) || is_in_unit(function)) continue;
      const std::string example =
          fmt::format("a file without a name: the function {}", function.name);
      return result_.push_back({{}, path_, example});
    }
  }

  void look_for_assembly() {
    std::set<std::string> files;
    for (const SourceGroup& group : groups_.groups) {
      if (group.is_instrumented) files.insert(group.name);
    }
    for (const SourceGroup& group : groups_.groups) {
      if (!group.is_instrumented) files.erase(group.name);
    }
    std::vector<std::string> places = atomic_assembly(file_, files);
    if (!places.empty()) result_.push_back({{}, path_, "inline assembly", std::move(places)});
  }

  bool has_unit(const std::string& name) const {
    return std::any_of(units_.begin(), units_.end(),
                       [&](const Unit& unit) { return unit.name == name; });
  }

  bool is_in_unit(const FunctionSymbol& function) const {
    return std::any_of(units_.begin(), units_.end(), [&](const Unit& unit) {
      return std::any_of(unit.code.begin(), unit.code.end(), [&](const auto& range) {
        return function.address >= range.first && function.address < range.second;
      });
    });
  }

  // Compilers say how to unwind the stack; people who write assembly seldom do.
  bool is_compiled(const FunctionSymbol& function) const {
    Dwarf_Frame* frame = nullptr;
    if (unwinding_ == nullptr) return true;
    if (dwarf_cfi_addrframe(unwinding_.get(), function.address, &frame) != 0) return false;
    std::free(frame);
    return true;
  }

  void decide(const SourceGroup& group) {
    if (group.is_optimised) return add_optimised();
    std::vector<const Unit*> units;
    for (const Unit& unit : units_) {
      if (unit.name == group.name) units.push_back(&unit);
    }
    if (units.empty()) {
      if (has_code_without_unit(group)) add(group.name);
      return;
    }
    const bool is_unique = std::none_of(
        groups_.groups.begin(), groups_.groups.end(),
        [&](const SourceGroup& other) { return other.name == group.name && !is_suspect(other); });
    const bool has_code =
        group.has_functions || std::any_of(units.begin(), units.end(), [](const Unit* unit) {
          return !unit->code.empty() && !unit->is_assembly;
        });
    if (!has_code) return;
    // Of files with the same name it is not known which one it is.
    if (!is_unique) return add(group.name);
    for (const Unit* unit : units) {
      if (!unit->code.empty()) add(unit->path);
    }
  }

  bool has_code_without_unit(const SourceGroup& group) const {
    if (system_sources_.contains(group.name)) return false;
    // An object that does not tell its source has its own name. It is assembly, or stripped.
    if (group.name.ends_with(".o")) {
      return std::any_of(groups_.functions.begin(), groups_.functions.end(),
                         [&](const FunctionSymbol& function) { return is_compiled(function); });
    }
    return group.has_functions || !groups_.functions.empty();
  }

  // Link-time optimisation mixes files: those of which no other trace is left are in it.
  void add_optimised() {
    const std::size_t before = result_.size();
    for (const Unit& unit : units_) {
      if (unit.name.empty() || unit.name == gcc_optimised_unit || has_group(unit.name)) continue;
      add(unit.path);
    }
    if (result_.size() == before) {
      result_.push_back({{}, path_, "code made by link-time optimisation (-flto)"});
    }
  }

  bool has_group(const std::string& name) const {
    return std::any_of(groups_.groups.begin(), groups_.groups.end(),
                       [&](const SourceGroup& group) { return group.name == name; });
  }

  void add(const std::string& file) {
    const bool is_known = std::any_of(result_.begin(), result_.end(),
                                      [&](const auto& known) { return known.file == file; });
    if (!is_known) result_.push_back({file, path_, {}});
  }

  void remove_functions_of_instrumented_files() {
    std::set<std::string> instrumented;
    for (const SourceGroup& group : groups_.groups) {
      if (group.is_instrumented || group.is_outside) instrumented.insert(group.name);
    }
    for (const Unit& unit : units_) {
      if (instrumented.contains(unit.name)) remove_functions_in(unit);
    }
  }

  void remove_functions_in(const Unit& unit) {
    std::erase_if(groups_.functions, [&](const FunctionSymbol& function) {
      return std::any_of(unit.code.begin(), unit.code.end(), [&](const auto& range) {
        return function.address >= range.first && function.address < range.second;
      });
    });
  }

  std::string path_;
  Elf* file_;
  SourceGroups groups_;
  std::vector<Unit> units_;
  std::set<std::string> system_sources_;
  std::unique_ptr<Dwarf_CFI, decltype(&dwarf_cfi_end)> unwinding_;
  std::vector<UninstrumentedCode> result_;
};

bool is_of_the_system(const std::string& path) {
  const std::string file = fs::path(path).filename();
  if (file.starts_with("libricercar")) return true;
  constexpr std::string_view folders[] = {"/lib/",     "/lib32/",     "/lib64/",
                                          "/usr/lib/", "/usr/lib32/", "/usr/lib64/"};
  std::error_code error;
  const std::string real = fs::weakly_canonical(path, error);
  return std::any_of(std::begin(folders), std::end(folders),
                     [&](std::string_view folder) { return real.starts_with(folder); });
}

std::string from_here(const std::string& path) {
  std::error_code error;
  const fs::path here = fs::current_path(error);
  const std::string relative = fs::path(path).lexically_relative(here);
  return relative.empty() || relative.starts_with("..") ? path : relative;
}

}  // namespace

std::vector<UninstrumentedCode> uninstrumented_code_in(const std::string& module) {
  const ElfFile file(module);
  if (!file.is_elf()) return {};
  SourceGroups groups = source_groups(file.get());
  if (!groups.are_known) {
    if (!asks_for_instrumentation(file.get())) return {{{}, module, "all of its code"}};
    return {{{}, module, "its symbols were removed, so it is not known which code"}};
  }
  return Module(module, file.get(), std::move(groups)).find();
}

std::vector<UninstrumentedCode> uninstrumented_code(
    const std::string& program, const std::vector<std::string>& more_libraries) {
  std::vector<UninstrumentedCode> result = uninstrumented_code_in(program);
  std::vector<std::string> libraries = libraries_of(program);
  libraries.insert(libraries.end(), more_libraries.begin(), more_libraries.end());
  std::set<std::string> seen;
  for (const std::string& library : libraries) {
    if (is_of_the_system(library) || !seen.insert(library).second) continue;
    for (UninstrumentedCode& code : uninstrumented_code_in(library)) {
      result.push_back(std::move(code));
    }
  }
  return result;
}

std::string describe(const UninstrumentedCode& code, const std::string& program) {
  const std::string module = fs::path(code.module).filename();
  if (!code.assembly.empty()) {
    return fmt::format("{}: atomic instructions in inline assembly at {}", module,
                       fmt::join(code.assembly, ", "));
  }
  if (!code.problem.empty()) return fmt::format("{}: {}", module, code.problem);
  if (code.module == program) return from_here(code.file);
  return fmt::format("{} ({})", from_here(code.file), module);
}

std::string list_of(const std::vector<UninstrumentedCode>& code, const std::string& program) {
  std::string text;
  for (std::size_t i = 0; i < std::min(code.size(), listed_limit); ++i) {
    text += (i == 0 ? "" : ", ") + describe(code[i], program);
  }
  if (code.size() > listed_limit) text += fmt::format(" and {} more", code.size() - listed_limit);
  return text;
}

}  // namespace ricercar::inline report
