#include "nodes/global_values.h"

#include <cstring>

namespace ricercar::inline nodes {
namespace {

// The lowest bytes of a word, with the sign that they have.
std::int64_t with_sign(std::uint64_t word, std::uint64_t size) {
  const auto unused = static_cast<int>(64 - 8 * size);
  return static_cast<std::int64_t>(word << unused) >> unused;
}

double as_number(std::uint64_t word, std::uint64_t size) {
  if (size == sizeof(double)) {
    double number = 0;
    std::memcpy(&number, &word, sizeof number);
    return number;
  }
  float number = 0;
  std::memcpy(&number, &word, sizeof number);
  return static_cast<double>(number);
}

}  // namespace

const ProgramVariable& GlobalValues::variable(const std::string& program, const std::string& name) {
  const auto found = known_.find({program, name});
  if (found != known_.end()) return found->second;
  return known_.try_emplace({program, name}, program_variable(program, name)).first->second;
}

const ricercar_value* GlobalValues::read(std::uint32_t node, const std::string& name) {
  const ProgramVariable& found = variable(cluster_.plan(node).program, name);
  std::uint64_t word = 0;
  if (!cluster_.read(node, found.address, &word, found.size)) return nullptr;
  value_ = {};
  switch (found.kind) {
    case ProgramVariable::signed_integer:
      value_.kind = RICERCAR_INTEGER;
      value_.as.integer = with_sign(word, found.size);
      break;
    case ProgramVariable::unsigned_integer:
      value_.kind = RICERCAR_UNSIGNED;
      value_.as.natural = word;
      break;
    case ProgramVariable::boolean:
      value_.kind = RICERCAR_BOOLEAN;
      value_.as.natural = word != 0 ? 1 : 0;
      break;
    case ProgramVariable::number:
      value_.kind = RICERCAR_NUMBER;
      value_.as.number = as_number(word, found.size);
      break;
  }
  return &value_;
}

}  // namespace ricercar::inline nodes
