// The real symbols, from the debug information of the program and its libraries.
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string_view>

#include "report/dwarf_heap.h"
#include "report/dwarf_types.h"
#include "report/dwarf_units.h"
#include "report/dwarf_variables.h"
#include "report/function_name.h"
#include "report/symbols.h"

namespace ricercar::inline report {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest_source_text = 200;

std::string function_of(Dwarf_Die& die, const char* symbol);

using Scopes = std::unique_ptr<Dwarf_Die, decltype(&std::free)>;

bool is_lambda(Dwarf_Die& die) {
  const char* name = dwarf_diename(&die);
  return is_class(die) && (name == nullptr || std::string_view(name).starts_with("<lambda"));
}

// A name from the scopes around a function that has no linkage name: "std::thread::thread",
// "lambda in main".
std::string name_by_scopes(Dwarf_Die& die) {
  const char* plain = dwarf_diename(&die);
  std::string name = plain == nullptr ? "" : plain;
  Dwarf_Die declaration = declaration_of(die);
  Dwarf_Die* scopes = nullptr;
  const int count = dwarf_getscopes_die(&declaration, &scopes);
  const Scopes owner(scopes, &std::free);
  const bool is_in_lambda = count > 1 && is_lambda(scopes[1]);
  for (int i = 1; i < count; ++i) {
    if (is_in_lambda && dwarf_tag(&scopes[i]) == DW_TAG_subprogram) {
      return "lambda in " + function_of(scopes[i], nullptr);
    }
    const char* scope = dwarf_diename(&scopes[i]);
    const bool is_named = is_class(scopes[i]) || dwarf_tag(&scopes[i]) == DW_TAG_namespace;
    if (is_named && scope != nullptr) name = std::string(scope) + "::" + name;
  }
  return is_in_lambda ? "lambda" : fold_template_arguments(name);
}

// `symbol`: the name of the machine code, which knows more where a function has no linkage.
std::string function_of(Dwarf_Die& die, const char* symbol) {
  Dwarf_Attribute attribute;
  const char* name = dwarf_formstring(dwarf_attr_integrate(&die, DW_AT_linkage_name, &attribute));
  if (name == nullptr && dwarf_tag(&die) == DW_TAG_subprogram) name = symbol;
  return name == nullptr ? name_by_scopes(die) : readable_function_name(name);
}

unsigned number_of(Dwarf_Die& die, unsigned attribute_name) {
  Dwarf_Attribute attribute;
  Dwarf_Word value = 0;
  if (dwarf_attr(&die, attribute_name, &attribute) == nullptr) return 0;
  return dwarf_formudata(&attribute, &value) == 0 ? static_cast<unsigned>(value) : 0;
}

std::string file_of_call(Dwarf_Die* unit, Dwarf_Die& inlined_call) {
  Dwarf_Files* files = nullptr;
  if (dwarf_getsrcfiles(unit, &files, nullptr) != 0) return {};
  const char* name =
      dwarf_filesrc(files, number_of(inlined_call, DW_AT_call_file), nullptr, nullptr);
  return name == nullptr ? "" : name;
}

std::string compilation_folder(Dwarf_Die* unit) {
  Dwarf_Attribute attribute;
  const char* name = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
  return name == nullptr ? "" : name;
}

bool is_system_file(const std::string& path) {
  constexpr std::string_view folders[] = {"/usr/include/", "/usr/lib/", "/usr/local/include/c++/"};
  for (const std::string_view folder : folders) {
    if (path.starts_with(folder)) return true;
  }
  return path.starts_with(RICERCAR_OWN_SOURCES) ||
         path.find("/include/ricercar/") != std::string::npos ||
         path.find("/include/c++/") != std::string::npos;
}

class DebugSymbols : public Symbols {
 public:
  DebugSymbols(const Recording& recording, const std::string& program)
      : program_(program),
        here_(fs::current_path()),
        dwfl_(dwfl_begin(&local_debug_information()), &dwfl_end) {
    dwfl_report_begin(dwfl_.get());
    for (const RecordedModule& module : recording.modules) {
      const std::string path = module.path[0] == '\0' ? program : module.path;
      if (!fs::exists(path)) continue;
      Dwfl_Module* reported =
          dwfl_report_elf(dwfl_.get(), path.c_str(), path.c_str(), -1, module.base, true);
      if (reported != nullptr && path == program) program_module_ = reported;
    }
    // A recording without addresses has no modules.
    const bool has_modules = recording.modules.size != 0;
    if (!has_modules) {
      program_module_ = dwfl_report_elf(dwfl_.get(), program.c_str(), program.c_str(), -1, 0, true);
    }
    dwfl_report_end(dwfl_.get(), nullptr, nullptr);
  }

  std::vector<Frame> frames(std::uint64_t return_address) override {
    const auto [known, is_new] = frames_.try_emplace(return_address);
    if (is_new && return_address != 0) known->second = look_up(return_address - 1);
    return known->second;
  }

  std::optional<Variable> global(std::uint64_t address) override {
    Dwfl_Module* module = dwfl_addrmodule(dwfl_.get(), address);
    if (module == nullptr) return std::nullopt;
    return globals_.try_emplace(module, module).first->second.find(address);
  }

  std::optional<Variable> local(std::uint64_t return_address, std::uint64_t frame_address,
                                std::uint64_t address) override {
    Dwfl_Module* module = dwfl_addrmodule(dwfl_.get(), return_address - 1);
    if (module == nullptr) return std::nullopt;
    const std::optional<CodePlace> place = code_at(module, return_address - 1);
    if (!place) return std::nullopt;
    return find_local(module, *place, return_address - 1, frame_address, address);
  }

  std::optional<HeapPart> heap_part(const std::vector<std::uint64_t>& allocation,
                                    std::uint64_t block_size, std::uint64_t offset) override {
    for (const std::uint64_t return_address : allocation) {
      Dwfl_Module* module = dwfl_addrmodule(dwfl_.get(), return_address - 1);
      if (module == nullptr) continue;
      const std::optional<CodePlace> place = code_at(module, return_address - 1);
      if (!place) continue;
      std::optional<HeapType> type = type_allocated_at(*place);
      for (const Frame& frame : frames(return_address)) {
        if (type || !frame.is_users) continue;
        type = type_named_in(*place, source_text(frame));
        // The user's own code is where the search ends: what calls it did not ask for this block.
        if (!type) return std::nullopt;
      }
      if (type) return part_of_block(*type, block_size, offset);
    }
    return std::nullopt;
  }

  std::optional<HeapPart> part_behind(std::uint64_t pointer, std::uint64_t block_size,
                                      std::uint64_t offset) override {
    Dwfl_Module* module = dwfl_addrmodule(dwfl_.get(), pointer);
    if (module == nullptr) return std::nullopt;
    const auto type = globals_.try_emplace(module, module).first->second.pointed_to(pointer);
    return type ? part_of_block({*type}, block_size, offset) : std::nullopt;
  }

  std::vector<DataMember> fields(const std::string& type) override {
    if (program_module_ == nullptr) return {};
    return classes_.try_emplace(program_module_, program_module_).first->second.find(type);
  }

  std::string source_text(const Frame& frame) override {
    if (frame.file.empty() || frame.line == 0) return {};
    const std::vector<std::string>& lines = lines_of(frame.file);
    return frame.line <= lines.size() ? lines[frame.line - 1] : "";
  }

  bool has_debug_information() override {
    Dwarf_Addr bias = 0;
    return program_module_ != nullptr && dwfl_module_getdwarf(program_module_, &bias) != nullptr;
  }

 private:
  std::vector<Frame> look_up(std::uint64_t address) {
    Dwfl_Module* module = dwfl_addrmodule(dwfl_.get(), address);
    if (module == nullptr) return {};
    std::vector<Frame> result;
    if (std::optional<CodePlace> place = code_at(module, address)) {
      result = with_inlined_calls(*place, dwfl_module_addrname(module, address));
    }
    if (result.empty()) result.push_back(by_symbol(module, address));
    for (Frame& frame : result) finish(frame, module);
    return result;
  }

  std::optional<CodePlace> code_at(Dwfl_Module* module, std::uint64_t address) {
    return units_.try_emplace(module, module).first->second.find(address);
  }

  static std::vector<Frame> with_inlined_calls(CodePlace& place, const char* symbol) {
    std::vector<Frame> result;
    Frame frame = line_of(place);
    for (Dwarf_Die& call : place.calls) {
      frame.function = function_of(call, symbol);
      result.push_back(frame);
      frame.file = absolute(file_of_call(&place.unit, call), &place.unit);
      frame.line = number_of(call, DW_AT_call_line);
    }
    return result;
  }

  static std::string absolute(const std::string& file, Dwarf_Die* unit) {
    if (file.empty() || file[0] == '/') return file;
    return compilation_folder(unit) + "/" + file;
  }

  // The line of the last row at or before the address. Line 0 stands for code that the compiler
  // could not attribute, so the row before counts.
  static Frame line_of(CodePlace& place) {
    Frame frame;
    Dwarf_Lines* lines = nullptr;
    std::size_t count = 0;
    if (dwarf_getsrclines(&place.unit, &lines, &count) != 0) return frame;
    Dwarf_Line* best = nullptr;
    Dwarf_Addr best_address = 0;
    for (std::size_t i = 0; i < count; ++i) {
      Dwarf_Line* line = dwarf_onesrcline(lines, i);
      Dwarf_Addr address = 0;
      int number = 0;
      if (dwarf_lineaddr(line, &address) != 0 || address > place.pc) continue;
      if (dwarf_lineno(line, &number) != 0 || number == 0 || address < best_address) continue;
      best = line;
      best_address = address;
      frame.line = static_cast<unsigned>(number);
    }
    const char* file = best == nullptr ? nullptr : dwarf_linesrc(best, nullptr, nullptr);
    frame.file = file == nullptr ? "" : absolute(file, &place.unit);
    return frame;
  }

  static Frame by_symbol(Dwfl_Module* module, std::uint64_t address) {
    Frame frame;
    GElf_Off offset = 0;
    GElf_Sym symbol;
    const char* name =
        dwfl_module_addrinfo(module, address, &offset, &symbol, nullptr, nullptr, nullptr);
    frame.function = name == nullptr ? "" : readable_function_name(name);
    Dwarf_Addr start = 0;
    dwfl_module_info(module, nullptr, &start, nullptr, nullptr, nullptr, nullptr, nullptr);
    frame.offset = name == nullptr ? address - start : offset;
    return frame;
  }

  void finish(Frame& frame, Dwfl_Module* module) const {
    const char* path =
        dwfl_module_info(module, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr);
    const std::string module_path = path == nullptr ? "" : path;
    frame.module = fs::path(module_path).filename();
    if (frame.file.empty()) {
      frame.is_users = module == program_module_ && !frame.function.starts_with("_start");
      return;
    }
    const fs::path file = fs::path(frame.file).lexically_normal();
    const bool is_runtime = frame.module.starts_with("libricercar");
    frame.is_users = !is_runtime && !is_system_file(file) && !is_system_file(module_path);
    const fs::path relative = file.lexically_relative(here_);
    frame.file = relative.empty() || *relative.begin() == ".." ? file : relative;
  }

  // All lines of a source file, or none if it is newer than the program.
  const std::vector<std::string>& lines_of(const std::string& file) {
    const auto [known, is_new] = sources_.try_emplace(file);
    struct stat source {};
    struct stat built {};
    if (!is_new || ::stat(file.c_str(), &source) != 0) return known->second;
    if (::stat(program_.c_str(), &built) == 0 && source.st_mtime > built.st_mtime) {
      return known->second;
    }
    std::ifstream stream(file);
    for (std::string line; std::getline(stream, line);) known->second.push_back(trimmed(line));
    return known->second;
  }

  static std::string trimmed(const std::string& line) {
    const std::size_t first = line.find_first_not_of(" \t");
    if (first == std::string::npos) return {};
    const std::size_t last = line.find_last_not_of(" \t\r");
    std::string text = line.substr(first, std::min(last - first + 1, longest_source_text));
    std::replace(text.begin(), text.end(), '\t', ' ');
    return text;
  }

  std::string program_;
  fs::path here_;
  std::unique_ptr<Dwfl, decltype(&dwfl_end)> dwfl_;
  Dwfl_Module* program_module_ = nullptr;
  std::map<std::uint64_t, std::vector<Frame>> frames_;
  std::map<Dwfl_Module*, Units> units_;
  std::map<Dwfl_Module*, GlobalVariables> globals_;
  std::map<Dwfl_Module*, Classes> classes_;
  std::map<std::string, std::vector<std::string>> sources_;
};

}  // namespace

std::unique_ptr<Symbols> debug_symbols(const Recording& recording, const std::string& program) {
  return std::make_unique<DebugSymbols>(recording, program);
}

}  // namespace ricercar::inline report
