#include "report/dwarf_heap.h"

#include <dwarf.h>

#include <cctype>
#include <cstdlib>
#include <memory>
#include <regex>
#include <string_view>

#include "report/dwarf_types.h"
#include "report/function_name.h"

namespace ricercar::inline report {
namespace {

constexpr int node_depth_limit = 16;
// A shared_ptr's counters lie before the object that make_shared makes.
constexpr std::uint64_t shared_object_offset = 16;

Dwarf_Die origin_of(Dwarf_Die die) {
  for (const unsigned name : {DW_AT_abstract_origin, DW_AT_specification}) {
    Dwarf_Attribute attribute;
    Dwarf_Die next;
    if (dwarf_attr(&die, name, &attribute) == nullptr) continue;
    if (dwarf_formref_die(&attribute, &next) != nullptr) die = next;
  }
  return die;
}

std::optional<Dwarf_Die> enclosing_class(Dwarf_Die& function) {
  Dwarf_Die* scopes = nullptr;
  const int count = dwarf_getscopes_die(&function, &scopes);
  const std::unique_ptr<Dwarf_Die, decltype(&std::free)> owner(scopes, &std::free);
  if (count < 2 || !is_class(scopes[1])) return std::nullopt;
  return scopes[1];
}

// make_unique<T> names its type itself, an allocator by its class.
std::optional<Dwarf_Die> allocated_by(Dwarf_Die& call) {
  Dwarf_Die function = origin_of(call);
  const std::string name = name_of(function);
  if (name.starts_with("make_unique<")) {
    std::optional<Dwarf_Die> type = template_argument(function);
    return type ? type : template_argument(call);
  }
  if (name != "allocate") return std::nullopt;
  std::optional<Dwarf_Die> owner = enclosing_class(function);
  if (!owner || name_of(*owner).find("allocator<") == std::string::npos) return std::nullopt;
  return template_argument(*owner);
}

// The word behind `new`, without placement: "new (place) T" allocates nothing.
std::string name_after_new(const std::string& source) {
  constexpr std::string_view keyword = "new ";
  const std::size_t at = source.find(keyword);
  if (at == std::string::npos) return {};
  if (at > 0 &&
      (std::isalnum(static_cast<unsigned char>(source[at - 1])) || source[at - 1] == '_')) {
    return {};
  }
  std::size_t end = at + keyword.size();
  const auto is_part_of_name = [&](char character) {
    return std::isalnum(static_cast<unsigned char>(character)) || character == '_' ||
           character == ':';
  };
  while (end < source.size() && is_part_of_name(source[end])) ++end;
  const std::string name = source.substr(at + keyword.size(), end - at - keyword.size());
  return name.substr(name.rfind(':') + 1);
}

// What C asks for memory for: "malloc(sizeof(struct node))", "(struct node*)malloc(size)",
// "struct node* first = calloc(1, size)".
std::string name_in_c(const std::string& source) {
  static const std::regex call(R"(\b(malloc|calloc|realloc|aligned_alloc)\s*\()");
  static const std::regex size(R"(\bsizeof\s*\(\s*(?:struct\s+)?(\w+)\s*\))");
  static const std::regex pointer(R"(\b(\w+)\s*\*+\s*(?:const\s+)?(?:\w+\s*=|\)))");
  std::smatch match;
  if (!std::regex_search(source, call)) return {};
  if (std::regex_search(source, match, size)) return match[1];
  return std::regex_search(source, match, pointer) ? match[1].str() : "";
}

// A class, or another name for one.
std::optional<Dwarf_Die> as_class(Dwarf_Die& die, const std::string& name) {
  const bool is_name = dwarf_tag(&die) == DW_TAG_typedef;
  if ((!is_class(die) && !is_name) || name_of(die) != name) return std::nullopt;
  std::optional<Dwarf_Die> found = is_name ? type_of(die) : die;
  return found && is_class(*found) && size_of(*found) > 0 ? found : std::nullopt;
}

std::optional<Dwarf_Die> find_class(Dwarf_Die& parent, const std::string& name, int depth) {
  Dwarf_Die child;
  if (depth > node_depth_limit || dwarf_child(&parent, &child) != 0) return std::nullopt;
  do {
    if (const std::optional<Dwarf_Die> found = as_class(child, name)) return found;
    const int tag = dwarf_tag(&child);
    if (tag != DW_TAG_namespace && tag != DW_TAG_subprogram && !is_class(child)) continue;
    if (const std::optional<Dwarf_Die> found = find_class(child, name, depth + 1)) return found;
  } while (dwarf_siblingof(&child, &child) == 0);
  return std::nullopt;
}

// The nodes of the containers of GNU's library. The value lies behind the links.
struct NodeKind {
  std::string_view type;
  std::string_view of_pairs;  // the container, if the value is a pair
  std::string_view of_others;
  std::uint64_t value_offset;
};
constexpr NodeKind node_kinds[] = {
    {"_List_node<", "list", "list", 16},
    {"_Fwd_list_node<", "forward_list", "forward_list", 8},
    {"_Rb_tree_node<", "map", "set", 32},
    {"_Hash_node<", "unordered_map", "unordered_set", 8},
};

std::optional<HeapType> value_in_node(Dwarf_Die& node) {
  const std::string name = name_of(node);
  for (const NodeKind& kind : node_kinds) {
    if (!name.starts_with(kind.type)) continue;
    std::optional<Dwarf_Die> value = template_argument(node);
    if (!value) return std::nullopt;
    const bool is_pair = name_of(*value).starts_with("pair<");
    return HeapType{*value, kind.value_offset,
                    std::string(is_pair ? kind.of_pairs : kind.of_others) + " node"};
  }
  return std::nullopt;
}

std::string class_name(HeapType& type) {
  const std::string name = fold_template_arguments(name_of(type.type));
  return name.empty() ? type.name : name;
}

// The counters of shared pointers, and what belongs to them.
HeapPart counter_of(HeapType& type, std::uint64_t offset) {
  constexpr std::uint64_t use_count = 8;
  constexpr std::uint64_t weak_count = 12;
  HeapPart result;
  result.type = class_name(type);
  result.part.name = ".control";
  if (offset == use_count) result.part.name = ".use_count";
  if (offset == weak_count) result.part.name = ".weak_count";
  result.part.is_internal = true;
  return result;
}

// A link of a node: there is no name that a user would know.
HeapPart link_of(const HeapType& type) {
  HeapPart result;
  result.type = type.node;
  result.part.name = ".link";
  result.part.is_internal = true;
  return result;
}

}  // namespace

std::optional<HeapType> type_allocated_at(const CodePlace& place) {
  for (Dwarf_Die call : place.calls) {
    std::optional<Dwarf_Die> type = allocated_by(call);
    if (!type) continue;
    const std::string name = name_of(*type);
    if (name.starts_with("_Sp_counted_ptr_inplace<")) {
      const std::optional<Dwarf_Die> object = template_argument(*type);
      return object ? std::optional(HeapType{*object, shared_object_offset}) : std::nullopt;
    }
    // What else the library makes for itself has no name.
    if (is_reserved(name)) return value_in_node(*type);
    return HeapType{*type, 0};
  }
  return std::nullopt;
}

std::optional<HeapType> type_named_in(const CodePlace& place, const std::string& source) {
  std::string name = name_after_new(source);
  if (name.empty()) name = name_in_c(source);
  if (name.empty()) return std::nullopt;
  Dwarf_Die unit = place.unit;
  const std::optional<Dwarf_Die> type = find_class(unit, name, 0);
  return type ? std::optional(HeapType{*type, 0, {}, name}) : std::nullopt;
}

std::optional<HeapPart> part_of_block(HeapType type, std::uint64_t block_size,
                                      std::uint64_t offset) {
  const std::uint64_t size = size_of(type.type);
  if (!type.node.empty() && offset < type.offset) return link_of(type);
  if (offset < type.offset && is_class(type.type)) return counter_of(type, offset);
  if (size == 0 || offset < type.offset || type.offset + size > block_size) return std::nullopt;
  const std::uint64_t room = block_size - type.offset;
  const bool is_array = type.offset == 0 && room > size;
  if (is_array && room % size != 0) return std::nullopt;
  if (!is_array && room != size && type.offset == 0) return std::nullopt;
  std::uint64_t inside = offset - type.offset;
  if (!is_array && inside >= size) return std::nullopt;
  std::string path;
  if (is_array) path = "[" + std::to_string(inside / size) + "]";
  inside %= size;
  HeapPart result;
  result.type = type.node;
  if (type.node.empty() && is_class(type.type)) result.type = class_name(type);
  result.part = part_of(type.node.empty() ? path : ".value", type.type, inside);
  return result;
}

}  // namespace ricercar::inline report
