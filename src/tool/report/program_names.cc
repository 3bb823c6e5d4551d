#include "report/program_names.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <map>
#include <memory>
#include <set>
#include <string_view>

#include "base/error.h"
#include "base/nearest.h"
#include "report/dwarf_types.h"
#include "report/dwarf_units.h"
#include "report/dwarf_variables.h"

namespace ricercar::inline report {
namespace {

constexpr int depth_limit = 64;
constexpr std::uint64_t array_limit = 4096;
constexpr std::size_t suggestions_limit = 3;

class DebugFile {
 public:
  explicit DebugFile(const std::string& path)
      : dwfl_(dwfl_begin(&local_debug_information()), &dwfl_end) {
    dwfl_report_begin(dwfl_.get());
    Dwfl_Module* module = dwfl_report_offline(dwfl_.get(), path.c_str(), path.c_str(), -1);
    dwfl_report_end(dwfl_.get(), nullptr, nullptr);
    Dwarf_Addr bias = 0;
    if (module != nullptr) dwarf_ = dwfl_module_getdwarf(module, &bias);
    bool is_there = false;
    if (dwarf_ != nullptr) {
      for_each_unit([&](Dwarf_Die& unit) { is_there = is_there || !is_own(unit); });
    }
    if (is_there) return;
    throw UsageError(fmt::format(
        "'{}' has no debug information, so names mean nothing there; compile it with -g", path));
  }

  template <typename Visit>
  void for_each_unit(Visit visit) const {
    Dwarf_CU* unit = nullptr;
    Dwarf_Die die;
    while (dwarf_get_units(dwarf_, unit, &unit, nullptr, nullptr, &die, nullptr) == 0) visit(die);
  }

 private:
  // What Ricercar links into every program has debug information in any case.
  static bool is_own(Dwarf_Die& unit) {
    const char* name = dwarf_diename(&unit);
    return name != nullptr && std::string_view(name).starts_with(RICERCAR_OWN_SOURCES);
  }

  std::unique_ptr<Dwfl, decltype(&dwfl_end)> dwfl_;
  Dwarf* dwarf_ = nullptr;
};

// --- Names ---

std::string without_arguments(const std::string& name) {
  if (name.starts_with("operator")) return name;
  return name.substr(0, name.find('<'));
}

std::string name_of(Dwarf_Die& die) {
  const char* name = dwarf_diename(&die);
  return name == nullptr ? "" : name;
}

// The names of the namespaces, classes and functions around a declaration, innermost first.
std::vector<std::string> scopes_of(Dwarf_Die& die) {
  Dwarf_Die declaration = declaration_of(die);
  Dwarf_Die* scopes = nullptr;
  const int count = dwarf_getscopes_die(&declaration, &scopes);
  const std::unique_ptr<Dwarf_Die, decltype(&std::free)> owner(scopes, &std::free);
  std::vector<std::string> names;
  for (int i = 1; i < count; ++i) {
    const int tag = dwarf_tag(&scopes[i]);
    const bool counts = is_class(scopes[i]) || tag == DW_TAG_namespace || tag == DW_TAG_subprogram;
    // An unnamed namespace is left out, as users do.
    if (counts && !name_of(scopes[i]).empty()) names.push_back(name_of(scopes[i]));
  }
  return names;
}

// A name that a user has written.
class WantedName {
 public:
  explicit WantedName(const std::string& text) : text_(text), is_global_(text.starts_with("::")) {
    std::string rest = text.substr(is_global_ ? 2 : 0);
    // `queue.head_`: the variable, and then the way to its part.
    const std::size_t dot = std::min(rest.find('.'), rest.size());
    for (std::size_t at = dot; at < rest.size();) {
      const std::size_t next = std::min(rest.find('.', at + 1), rest.size());
      path_.push_back(rest.substr(at + 1, next - at - 1));
      at = next;
    }
    rest.resize(dot);
    for (std::size_t at = 0; (at = rest.rfind("::")) != std::string::npos; rest.resize(at)) {
      parts_.push_back(rest.substr(at + 2));
    }
    parts_.push_back(rest);
  }

  const std::string& text() const { return text_; }
  const std::string& last() const { return parts_.front(); }
  const std::vector<std::string>& path() const { return path_; }
  bool is_qualified() const { return is_global_ || parts_.size() > 1; }

  bool matches_last(const std::string& name) const { return same(parts_.front(), name); }
  // `scopes` from the innermost one on.
  bool matches_scopes(const std::vector<std::string>& scopes) const {
    if (scopes.size() + 1 < parts_.size()) return false;
    if (is_global_ && scopes.size() + 1 != parts_.size()) return false;
    return std::equal(std::next(parts_.begin()), parts_.end(), scopes.begin(), same);
  }
  // `Class::member`, the class wherever it is.
  bool matches_member(const std::string& class_name, const std::string& member) const {
    return parts_.size() > 1 && same(parts_[0], member) && same(parts_[1], class_name);
  }

  mutable bool found = false;

 private:
  static bool same(const std::string& wanted, const std::string& name) {
    return wanted == name || wanted == without_arguments(name);
  }

  std::string text_;
  bool is_global_;
  std::vector<std::string> parts_;  // the last one first
  std::vector<std::string> path_;
};

// The known names that a mistyped one may have been meant to be, nearest first.
std::string suggestions(const WantedName& wanted, const std::set<std::string>& known) {
  const std::string& word = wanted.last();
  const std::size_t limit = std::max<std::size_t>(1, word.size() / 3);
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const std::string& name : known) {
    const std::size_t scope = name.rfind("::");
    const std::string last = scope == std::string::npos ? name : name.substr(scope + 2);
    const std::size_t distance = edit_distance(word, last);
    if (distance <= limit && distance < last.size()) near.emplace_back(distance, name);
  }
  std::sort(near.begin(), near.end());
  near.resize(std::min(near.size(), suggestions_limit));
  std::string text;
  for (const auto& [distance, name] : near) {
    text += fmt::format("{}'{}'", text.empty() ? "" : " or ", name);
  }
  return text.empty() ? text : "; did you mean " + text + "?";
}

// --- What functions and variables have in common ---

class Finder {
 public:
  Finder(const std::string& program, const std::vector<std::string>& names)
      : program_(program), file_(program) {
    for (const std::string& name : names) wanted_.emplace_back(name);
  }
  virtual ~Finder() = default;

  std::vector<AddressRange> find(const char* what) {
    file_.for_each_unit([this](Dwarf_Die& unit) { visit_children(unit, 0); });
    for (const WantedName& wanted : wanted_) {
      if (!wanted.found) refuse(wanted, what);
    }
    return merged();
  }

 protected:
  virtual void visit(Dwarf_Die& die) = 0;
  virtual bool may_hold(int tag) const = 0;
  virtual std::string remark(const WantedName&) const { return {}; }

  // The names of which this is one.
  std::vector<const WantedName*> matches(Dwarf_Die& die, const std::string& name) const {
    std::vector<const WantedName*> result;
    for (const WantedName& wanted : wanted_) {
      if (!wanted.matches_last(name)) continue;
      if (!wanted.is_qualified() || wanted.matches_scopes(scopes_of(die))) {
        result.push_back(&wanted);
      }
    }
    return result;
  }
  const std::vector<WantedName>& wanted() const { return wanted_; }
  void add_known(const std::string& name) { known_.insert(without_arguments(name)); }
  void add_range(std::uint64_t start, std::uint64_t end) { ranges_.push_back({start, end}); }

 private:
  void visit_children(Dwarf_Die& parent, int depth) {
    Dwarf_Die child;
    if (depth > depth_limit || dwarf_child(&parent, &child) != 0) return;
    do {
      visit(child);
      if (may_hold(dwarf_tag(&child))) visit_children(child, depth + 1);
    } while (dwarf_siblingof(&child, &child) == 0);
  }

  [[noreturn]] void refuse(const WantedName& wanted, const char* what) const {
    throw UsageError(fmt::format("there is no {} '{}' in '{}'{}{}", what, wanted.text(), program_,
                                 suggestions(wanted, known_), remark(wanted)));
  }

  std::vector<AddressRange> merged() {
    std::sort(ranges_.begin(), ranges_.end(),
              [](const AddressRange& a, const AddressRange& b) { return a.low < b.low; });
    std::vector<AddressRange> result;
    for (const AddressRange& range : ranges_) {
      if (!result.empty() && range.low <= result.back().high) {
        result.back().high = std::max(result.back().high, range.high);
      } else {
        result.push_back(range);
      }
    }
    return result;
  }

  const std::string program_;
  const DebugFile file_;
  std::vector<WantedName> wanted_;
  std::set<std::string> known_;
  std::vector<AddressRange> ranges_;
};

// --- Functions ---

class FunctionFinder : public Finder {
 public:
  using Finder::Finder;

 private:
  bool may_hold(int tag) const override {
    switch (tag) {
      case DW_TAG_namespace:
      case DW_TAG_structure_type:
      case DW_TAG_class_type:
      case DW_TAG_union_type:
      case DW_TAG_subprogram:
      case DW_TAG_inlined_subroutine:
      case DW_TAG_lexical_block:
        return true;
      default:
        return false;
    }
  }

  void visit(Dwarf_Die& die) override {
    const int tag = dwarf_tag(&die);
    if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine) return;
    const std::string name = name_of(die);
    if (name.empty() || !has_code(die)) return;
    add_known(name);
    for (const WantedName* wanted : matches(die, name)) {
      wanted->found = true;
      add_code(die);
    }
  }

  static bool has_code(Dwarf_Die& die) {
    return dwarf_hasattr(&die, DW_AT_low_pc) != 0 || dwarf_hasattr(&die, DW_AT_ranges) != 0;
  }

  void add_code(Dwarf_Die& die) {
    Dwarf_Addr base = 0;
    Dwarf_Addr start = 0;
    Dwarf_Addr end = 0;
    for (std::ptrdiff_t offset = 0;
         (offset = dwarf_ranges(&die, offset, &base, &start, &end)) > 0;) {
      // Functions that the linker threw away begin at 0.
      if (start != 0 && end > start) add_range(start, end);
    }
  }
};

// --- Variables ---

class VariableFinder : public Finder {
 public:
  using Finder::Finder;

  // What was found: where, and of which type.
  const std::map<std::uint64_t, Dwarf_Die>& parts() const { return parts_; }

 private:
  bool may_hold(int tag) const override {
    switch (tag) {
      case DW_TAG_namespace:
      case DW_TAG_structure_type:
      case DW_TAG_class_type:
      case DW_TAG_subprogram:
      case DW_TAG_lexical_block:
        return true;
      default:
        return false;
    }
  }

  void visit(Dwarf_Die& die) override {
    if (dwarf_tag(&die) != DW_TAG_variable) return;
    const std::string name = name_of(die);
    const std::optional<std::uint64_t> address = static_address(die);
    if (!address || *address == 0) {
      if (!dwarf_hasattr(&die, DW_AT_declaration)) locals_.insert(name);
      return;
    }
    std::optional<Dwarf_Die> type = type_of(die);
    if (!type || name.empty()) return;
    if (!is_reserved(name)) add_known(name);
    for (const WantedName* wanted : matches(die, name)) add_part(*wanted, *type, *address, 0);
    add_members(*type, *address, 0);
  }

  std::string remark(const WantedName& wanted) const override {
    if (!locals_.contains(wanted.last())) return {};
    return "; the one of this name is a local variable, and only variables with static storage "
           "have an address that is known";
  }

  // Follows the path of `queue.list.head` from its step `at` on.
  void add_part(const WantedName& wanted, Dwarf_Die type, std::uint64_t address, std::size_t at) {
    if (at == wanted.path().size()) {
      wanted.found = true;
      add_range(address, address + std::max<std::uint64_t>(size_of(type), 1));
      parts_.emplace(address, type);
      return;
    }
    for_each_member(type, [&](const std::string& name, Dwarf_Die& member, std::uint64_t offset) {
      if (name.empty()) return add_part(wanted, member, address + offset, at);  // a base class
      if (name == wanted.path()[at]) add_part(wanted, member, address + offset, at + 1);
    });
  }

  // `Class::member` of every variable that is or holds an object of the class.
  void add_members(Dwarf_Die type, std::uint64_t address, int depth) {
    if (depth > depth_limit) return;
    if (dwarf_tag(&type) == DW_TAG_array_type) return add_elements(type, address, depth);
    const std::string class_name = name_of(type);
    for_each_member(type, [&](const std::string& name, Dwarf_Die& member, std::uint64_t offset) {
      if (is_reserved(name)) return;
      if (!name.empty()) add_known(without_arguments(class_name) + "::" + name);
      for (const WantedName& wanted : this->wanted()) {
        if (wanted.matches_member(class_name, name)) add_part(wanted, member, address + offset, 0);
      }
      add_members(member, address + offset, depth + 1);
    });
  }

  void add_elements(Dwarf_Die& type, std::uint64_t address, int depth) {
    std::optional<Dwarf_Die> element = type_of(type);
    if (!element || !is_class(*element)) return;
    const std::uint64_t size = size_of(*element);
    if (size == 0) return;
    const std::uint64_t count = std::min(size_of(type) / size, array_limit);
    for (std::uint64_t i = 0; i < count; ++i) add_members(*element, address + i * size, depth + 1);
  }

  std::set<std::string> locals_;
  std::map<std::uint64_t, Dwarf_Die> parts_;

 public:
  // Calls visit(name, type, offset); a base class has no name.
  template <typename Visit>
  static void for_each_member(Dwarf_Die type, Visit visit) {
    Dwarf_Die child;
    if (!is_class(type) || dwarf_child(&type, &child) != 0) return;
    do {
      const int tag = dwarf_tag(&child);
      if (tag != DW_TAG_member && tag != DW_TAG_inheritance) continue;
      if (dwarf_hasattr(&child, DW_AT_external)) continue;  // a static member
      std::optional<Dwarf_Die> member = type_of(child);
      Dwarf_Attribute attribute;
      Dwarf_Word offset = 0;
      dwarf_formudata(dwarf_attr(&child, DW_AT_data_member_location, &attribute), &offset);
      if (member) visit(tag == DW_TAG_member ? name_of(child) : "", *member, offset);
    } while (dwarf_siblingof(&child, &child) == 0);
  }
};

// --- Single values ---

// What a class consists of that has nothing else in it; another type as it is.
Dwarf_Die innermost(Dwarf_Die type) {
  for (int depth = 0; depth < depth_limit && is_class(type); ++depth) {
    std::optional<Dwarf_Die> whole;
    VariableFinder::for_each_member(type, [&](const std::string&, Dwarf_Die& member, auto offset) {
      if (offset == 0 && size_of(member) == size_of(type)) whole = member;
    });
    if (!whole) return type;
    type = *whole;
  }
  return type;
}

std::optional<ProgramVariable::Kind> kind_of(Dwarf_Die& type) {
  if (dwarf_tag(&type) == DW_TAG_pointer_type) return ProgramVariable::unsigned_integer;
  if (dwarf_tag(&type) == DW_TAG_enumeration_type) return ProgramVariable::signed_integer;
  if (dwarf_tag(&type) != DW_TAG_base_type) return std::nullopt;
  Dwarf_Attribute attribute;
  Dwarf_Word encoding = 0;
  dwarf_formudata(dwarf_attr(&type, DW_AT_encoding, &attribute), &encoding);
  switch (encoding) {
    case DW_ATE_boolean:
      return ProgramVariable::boolean;
    case DW_ATE_float:
      return ProgramVariable::number;
    case DW_ATE_signed:
    case DW_ATE_signed_char:
      return ProgramVariable::signed_integer;
    default:
      return ProgramVariable::unsigned_integer;
  }
}

}  // namespace

std::vector<AddressRange> function_ranges(const std::string& program,
                                          const std::vector<std::string>& names) {
  return FunctionFinder(program, names).find("function");
}

std::vector<AddressRange> variable_ranges(const std::string& program,
                                          const std::vector<std::string>& names) {
  return VariableFinder(program, names).find("variable");
}

ProgramVariable program_variable(const std::string& program, const std::string& name) {
  VariableFinder finder(program, {name});
  finder.find("variable");
  if (finder.parts().size() != 1) {
    throw UsageError(
        fmt::format("there are {} variables '{}' in '{}'; write the namespace or class before it",
                    finder.parts().size(), name, program));
  }
  const auto& [address, type] = *finder.parts().begin();
  Dwarf_Die value = innermost(type);
  const std::optional<ProgramVariable::Kind> kind = kind_of(value);
  const std::uint64_t size = size_of(value);
  if (!kind || size == 0 || size > sizeof(std::uint64_t)) {
    throw UsageError(fmt::format(
        "the variable '{}' in '{}' is no single number or bool; name a part of it, as 'queue.size'",
        name, program));
  }
  return {address, size, *kind};
}

}  // namespace ricercar::inline report
