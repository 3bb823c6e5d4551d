// The places of a program by number, for searches that learn which statement follows which: what a
// worker's PlaceQuestion is answered with. A number is a hash of the text, so that it means the
// same in another build.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "cli/suppressions.h"
#include "report/symbols.h"
#include "search/control.h"

namespace ricercar::inline cli {

class PlaceNames {
 public:
  explicit PlaceNames(std::string program) : program_(std::move(program)) {}

  // `suppressions`: for questions about them.
  void answer(Control& control, const Suppressions& suppressions);

  // Remembers the text, and gives its number.
  std::uint64_t number_of(const std::string& text, bool is_users);
  // Of all that were seen.
  std::vector<std::string> texts() const;
  // Empty: never seen.
  std::string text_of(std::uint64_t place) const;
  // Some of the user's code was built without -g: its places are symbols and offsets.
  bool lacks_lines() const { return lacks_lines_; }

 private:
  void load_symbols(const PlaceQuestion& question);
  void answer_about_suppression(PlaceQuestion& question, const Suppressions& suppressions);
  void add_places(std::uint64_t address, std::vector<std::uint64_t>& places);

  const std::string program_;
  std::unique_ptr<Symbols> symbols_;
  std::uint64_t module_count_ = 0;
  bool lacks_lines_ = false;
  std::unordered_map<std::uint64_t, std::string> texts_;
};

}  // namespace ricercar::inline cli
