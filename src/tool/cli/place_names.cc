#include "cli/place_names.h"

#include <fmt/format.h>

#include "base/random.h"
#include "model/shared_array.h"
#include "strategy/hapset/statements.h"

namespace ricercar::inline cli {
namespace {

std::string text_of(const Frame& frame) {
  if (!frame.file.empty()) return fmt::format("{}:{}", frame.file, frame.line);
  if (!frame.function.empty()) return fmt::format("{}+{:#x}", frame.function, frame.offset);
  return fmt::format("{}+{:#x}", frame.module, frame.offset);
}

}  // namespace

std::uint64_t PlaceNames::number_of(const std::string& text, bool is_users) {
  std::uint64_t number = text.size();
  for (const unsigned char byte : text) number = mix64(number ^ byte);
  number &= ~foreign_place;
  texts_.try_emplace(number, text);
  return is_users ? number : number | foreign_place;
}

std::vector<std::string> PlaceNames::texts() const {
  std::vector<std::string> all;
  for (const auto& [number, text] : texts_) all.push_back(text);
  return all;
}

std::string PlaceNames::text_of(std::uint64_t place) const {
  const auto found = texts_.find(place);
  return found == texts_.end() ? "" : found->second;
}

void PlaceNames::load_symbols(const PlaceQuestion& question) {
  if (symbols_ != nullptr && module_count_ == question.modules.size) return;
  Recording recording{};
  recording.modules = question.modules;
  symbols_ = debug_symbols(recording, program_);
  module_count_ = question.modules.size;
}

void PlaceNames::answer_about_suppression(PlaceQuestion& question,
                                          const Suppressions& suppressions) {
  std::vector<std::vector<Frame>> stacks;
  std::uint32_t begin = 0;
  for (const std::uint32_t end : question.stack_ends) {
    std::vector<Frame> stack;
    for (; begin < end; ++begin) {
      const std::vector<Frame> frames = symbols_->frames(question.addresses[begin]);
      stack.insert(stack.end(), frames.begin(), frames.end());
    }
    stacks.push_back(std::move(stack));
  }
  question.suppression = suppressions.find(question.kind, stacks);
}

void PlaceNames::answer(Control& control, const Suppressions& suppressions) {
  PlaceQuestion& question = control.question;
  load_symbols(question);
  if (question.is_about_suppression) return answer_about_suppression(question, suppressions);
  std::vector<std::uint64_t> places;
  std::vector<std::uint32_t> ends;
  for (const std::uint64_t address : question.addresses) {
    add_places(address, places);
    ends.push_back(static_cast<std::uint32_t>(places.size()));
  }
  question.places = to_shared(places);
  question.ends = to_shared(ends);
}

// What the user wrote; only where nothing of that is there, what somebody else did.
void PlaceNames::add_places(std::uint64_t address, std::vector<std::uint64_t>& places) {
  const std::vector<Frame> frames = symbols_->frames(address);
  const std::size_t before = places.size();
  for (const Frame& frame : frames) {
    if (!frame.is_users) continue;
    lacks_lines_ = lacks_lines_ || frame.file.empty();
    places.push_back(number_of(ricercar::text_of(frame), true));
  }
  if (places.size() != before) return;
  places.push_back(number_of(
      frames.empty() ? fmt::format("{:#x}", address) : ricercar::text_of(frames.front()), false));
}

}  // namespace ricercar::inline cli
