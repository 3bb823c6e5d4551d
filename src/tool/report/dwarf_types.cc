#include "report/dwarf_types.h"

#include <dwarf.h>

#include "report/dwarf_units.h"

namespace ricercar::inline report {
namespace {

std::optional<std::uint64_t> number(Dwarf_Die& die, unsigned attribute_name) {
  Dwarf_Attribute attribute;
  Dwarf_Word value = 0;
  if (dwarf_attr_integrate(&die, attribute_name, &attribute) == nullptr) return std::nullopt;
  if (dwarf_formudata(&attribute, &value) != 0) return std::nullopt;
  return value;
}

bool is_aggregate(Dwarf_Die& type) {
  const int tag = dwarf_tag(&type);
  return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

// An empty base class has a size of one byte, but nothing in it.
bool has_data(Dwarf_Die& type, int depth) {
  Dwarf_Die child;
  if (depth > dwarf_depth_limit || dwarf_child(&type, &child) != 0) return false;
  do {
    const int tag = dwarf_tag(&child);
    if (tag == DW_TAG_member && !dwarf_hasattr(&child, DW_AT_external)) return true;
    if (tag != DW_TAG_inheritance) continue;
    std::optional<Dwarf_Die> base = type_of(child);
    if (base && has_data(*base, depth + 1)) return true;
  } while (dwarf_siblingof(&child, &child) == 0);
  return false;
}

ValueKind kind_of_base_type(Dwarf_Die& type) {
  switch (number(type, DW_AT_encoding).value_or(0)) {
    case DW_ATE_boolean:
      return ValueKind::boolean;
    case DW_ATE_signed:
      return ValueKind::signed_integer;
    case DW_ATE_unsigned:
      return ValueKind::unsigned_integer;
    case DW_ATE_signed_char:
    case DW_ATE_unsigned_char:
    case DW_ATE_UTF:
      return ValueKind::character;
    case DW_ATE_float:
      return ValueKind::floating;
    default:
      return ValueKind::unknown;
  }
}

using Enumerators = std::vector<std::pair<std::int64_t, std::string>>;

void add_enumerators(Dwarf_Die& type, Enumerators& enumerators) {
  Dwarf_Die child;
  if (dwarf_child(&type, &child) != 0) return;
  do {
    if (dwarf_tag(&child) != DW_TAG_enumerator) continue;
    Dwarf_Attribute attribute;
    Dwarf_Sword value = 0;
    if (dwarf_attr(&child, DW_AT_const_value, &attribute) == nullptr) continue;
    if (dwarf_formsdata(&attribute, &value) == 0) {
      enumerators.emplace_back(value, name_of(child));
    }
  } while (dwarf_siblingof(&child, &child) == 0);
}

bool may_hold_classes(Dwarf_Die& die) {
  switch (dwarf_tag(&die)) {
    case DW_TAG_namespace:
      return name_of(die) != "std" && name_of(die) != "__gnu_cxx";
    case DW_TAG_subprogram:
    case DW_TAG_lexical_block:
      return true;
    default:
      return is_class(die);
  }
}

class PathWalker {
 public:
  PathWalker(std::string name, std::uint64_t offset) : offset_(offset) {
    result_.name = std::move(name);
  }

  Variable walk(Dwarf_Die type) {
    result_.size = size_of(type);
    enter(type);
    for (int depth = 0; depth < dwarf_depth_limit && descend(type); ++depth) continue;
    describe(type);
    return std::move(result_);
  }

  std::optional<Dwarf_Die> pointed_to(Dwarf_Die type) {
    for (int depth = 0; depth < dwarf_depth_limit && descend(type); ++depth) continue;
    if (offset_ != 0 || dwarf_tag(&type) != DW_TAG_pointer_type) return std::nullopt;
    return type_of(type);
  }

 private:
  // One level deeper; false at the innermost one.
  bool descend(Dwarf_Die& type) {
    if (is_aggregate(type)) return descend_member(type);
    if (dwarf_tag(&type) == DW_TAG_array_type) return descend_element(type);
    return false;
  }

  bool descend_member(Dwarf_Die& type) {
    Dwarf_Die child;
    if (dwarf_child(&type, &child) != 0) return false;
    do {
      const int tag = dwarf_tag(&child);
      if (tag != DW_TAG_member && tag != DW_TAG_inheritance) continue;
      if (dwarf_hasattr(&child, DW_AT_external)) continue;  // a static member
      std::optional<Dwarf_Die> member_type = type_of(child);
      if (!member_type) continue;
      if (is_aggregate(*member_type) && !has_data(*member_type, 0)) continue;
      const std::uint64_t start = number(child, DW_AT_data_member_location).value_or(0);
      const std::uint64_t size = size_of(*member_type);
      if (offset_ < start || offset_ >= start + size) continue;
      offset_ -= start;
      if (tag == DW_TAG_member) append_member(type, name_of(child), size);
      type = *member_type;
      if (tag == DW_TAG_member && !hidden_) enter(type);
      return true;
    } while (dwarf_siblingof(&child, &child) == 0);
    return false;
  }

  // What the members that follow are of.
  void enter(Dwarf_Die& type) {
    object_ = type;
    object_offset_ = offset_;
  }

  void append_member(Dwarf_Die& owner, const std::string& name, std::uint64_t size) {
    // std::array and the storage of optional are transparent: users think of the element. So is the
    // container inside of a std::queue.
    if (name == "_M_elems" || name.empty() || is_adapted(owner, name)) return;
    if (is_reserved(name) && !hidden_) hide();
    if (hidden_) return;
    result_.name += "." + name;
    result_.size = size;
  }

  static bool is_adapted(Dwarf_Die& owner, const std::string& name) {
    const std::string type = name_of(owner);
    return name == "c" && (type.starts_with("queue<") || type.starts_with("stack<") ||
                           type.starts_with("priority_queue<"));
  }

  void hide() {
    hidden_ = true;
    result_.library = {name_of(object_), object_offset_, 0};
    std::optional<Dwarf_Die> element = template_argument(object_);
    if (element) result_.library.element_size = size_of(*element);
  }

  bool descend_element(Dwarf_Die& type) {
    std::optional<Dwarf_Die> element = type_of(type);
    if (!element) return false;
    const std::uint64_t element_size = size_of(*element);
    if (element_size == 0) return false;
    append_indices(type, element_size);
    offset_ %= element_size;
    if (!hidden_) result_.size = element_size;
    type = *element;
    if (!hidden_) enter(type);
    return true;
  }

  // int grid[2][3] is one type with two ranges.
  void append_indices(Dwarf_Die& type, std::uint64_t element_size) {
    if (hidden_) return;
    std::vector<std::uint64_t> counts;
    Dwarf_Die child;
    if (dwarf_child(&type, &child) == 0) {
      do {
        if (dwarf_tag(&child) != DW_TAG_subrange_type) continue;
        const auto count = number(child, DW_AT_count);
        const auto upper = number(child, DW_AT_upper_bound);
        counts.push_back(count ? *count : upper ? *upper + 1 : 0);
      } while (dwarf_siblingof(&child, &child) == 0);
    }
    std::uint64_t position = offset_ / element_size;
    std::string indices;
    for (std::size_t i = counts.size(); i-- > 0;) {
      const std::uint64_t count = i == 0 || counts[i] == 0 ? position + 1 : counts[i];
      indices = "[" + std::to_string(position % count) + "]" + indices;
      position /= count;
    }
    result_.name += indices;
  }

  void describe(Dwarf_Die& type) {
    result_.is_internal = hidden_;
    // Inside of a value there is nothing to interpret.
    if (offset_ != 0) {
      if (!hidden_) result_.name += "+" + std::to_string(offset_);
      return;
    }
    switch (dwarf_tag(&type)) {
      case DW_TAG_base_type:
        result_.kind = kind_of_base_type(type);
        break;
      case DW_TAG_pointer_type:
      case DW_TAG_reference_type:
        result_.kind = ValueKind::pointer;
        break;
      case DW_TAG_enumeration_type:
        result_.kind = ValueKind::enumeration;
        add_enumerators(type, result_.enumerators);
        break;
      default:
        break;
    }
  }

  std::uint64_t offset_;
  bool hidden_ = false;  // inside of the standard library's own members
  Dwarf_Die object_ = {};
  std::uint64_t object_offset_ = 0;  // in it
  Variable result_;
};

}  // namespace

std::optional<Dwarf_Die> type_of(Dwarf_Die& die) {
  Dwarf_Attribute attribute;
  Dwarf_Die type;
  if (dwarf_attr_integrate(&die, DW_AT_type, &attribute) == nullptr) return std::nullopt;
  if (dwarf_formref_die(&attribute, &type) == nullptr) return std::nullopt;
  Dwarf_Die stripped;
  if (dwarf_peel_type(&type, &stripped) != 0) return std::nullopt;
  return stripped;
}

std::optional<Dwarf_Die> template_argument(Dwarf_Die& die) {
  Dwarf_Die child;
  if (dwarf_child(&die, &child) != 0) return std::nullopt;
  do {
    if (dwarf_tag(&child) == DW_TAG_template_type_parameter) return type_of(child);
  } while (dwarf_siblingof(&child, &child) == 0);
  return std::nullopt;
}

std::uint64_t size_of(Dwarf_Die& type) {
  Dwarf_Word size = 0;
  return dwarf_aggregate_size(&type, &size) == 0 ? size : 0;
}

std::vector<DataMember> fields_of(Dwarf_Die type) {
  std::vector<DataMember> fields;
  Dwarf_Die child;
  if (dwarf_child(&type, &child) != 0) return fields;
  do {
    if (dwarf_tag(&child) != DW_TAG_member || dwarf_hasattr(&child, DW_AT_external)) continue;
    DataMember& field = fields.emplace_back(DataMember{name_of(child), {}});
    std::optional<Dwarf_Die> own = type_of(child);
    if (own && dwarf_tag(&*own) == DW_TAG_enumeration_type)
      add_enumerators(*own, field.enumerators);
  } while (dwarf_siblingof(&child, &child) == 0);
  return fields;
}

Variable part_of(const std::string& name, Dwarf_Die type, std::uint64_t offset) {
  return PathWalker(name, offset).walk(type);
}

std::optional<Dwarf_Die> pointed_to(Dwarf_Die type, std::uint64_t offset) {
  return PathWalker("", offset).pointed_to(type);
}

std::vector<DataMember> Classes::find(const std::string& name) {
  if (!built_) build();
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? std::vector<DataMember>{} : found->second;
}

void Classes::build() {
  built_ = true;
  Dwarf_Addr bias = 0;
  Dwarf* dwarf = dwfl_module_getdwarf(module_, &bias);
  if (dwarf == nullptr) return;
  Dwarf_CU* unit = nullptr;
  Dwarf_Die die;
  while (dwarf_get_units(dwarf, unit, &unit, nullptr, nullptr, &die, nullptr) == 0) {
    add_children(die, 0);
  }
}

void Classes::add_children(Dwarf_Die& parent, int depth) {
  Dwarf_Die child;
  if (depth > dwarf_depth_limit || dwarf_child(&parent, &child) != 0) return;
  do {
    if (is_class(child)) add(child);
    if (may_hold_classes(child)) add_children(child, depth + 1);
  } while (dwarf_siblingof(&child, &child) == 0);
}

void Classes::add(Dwarf_Die& type) {
  const std::string name = name_of(type);
  if (name.empty() || dwarf_hasattr(&type, DW_AT_declaration)) return;
  std::vector<DataMember> fields = fields_of(type);
  const auto [known, is_new] = by_name_.try_emplace(name, fields);
  if (!is_new && known->second != fields) known->second.clear();
}

}  // namespace ricercar::inline report
