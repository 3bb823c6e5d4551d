#include "report/message_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "report/named_fields.h"

namespace ricercar::inline report {
namespace {

// Not a connection, nor its end.
bool is_data(std::string_view words) {
  constexpr std::string_view verb = "gets ";
  return words.starts_with(verb) && words.size() > verb.size() &&
         std::isdigit(static_cast<unsigned char>(words[verb.size()])) != 0;
}

std::string words_of_receipt(const RecordedAct& act) {
  switch (act.kind) {
    case ActKind::handle:
      return std::string("handles ") + act.event;
    case ActKind::receive:
      return std::string("receives ") + act.event;
    case ActKind::arrive:
      return is_data(act.event) ? act.event : "";
    default:
      return {};
  }
}

std::vector<Receipt> of_receiver(const std::vector<Receipt>& all, std::uint32_t receiver) {
  std::vector<Receipt> own;
  std::copy_if(all.begin(), all.end(), std::back_inserter(own),
               [receiver](const Receipt& each) { return each.receiver == receiver; });
  return own;
}

// Behind a place.
const Receipt* find_later(const std::vector<Receipt>& own, std::size_t place,
                          const std::string& words) {
  const auto found = std::find_if(own.begin() + static_cast<std::ptrdiff_t>(place) + 1, own.end(),
                                  [&words](const Receipt& each) { return each.words == words; });
  return found == own.end() ? nullptr : &*found;
}

OtherOrder order_at(const std::vector<Receipt>& failing, const std::vector<Receipt>& passing,
                    std::size_t place) {
  const Receipt& here = failing[place];
  const Receipt& there = passing[place];
  const bool is_later = find_later(passing, place, here.words) != nullptr;
  const Receipt* late = find_later(failing, place, there.words);
  const std::string end =
      late == nullptr ? ""
                      : fmt::format(", which it does only later here (event {})", late->number);
  return {
      fmt::format("{} {} (event {}) first; in an execution that passes, it {} {}{}.", here.name,
                  here.words, here.number, there.words, is_later ? "before that" : "instead", end),
      here.number};
}

}  // namespace

std::vector<Receipt> receipts_in(const Recording& recording, Symbols& symbols) {
  std::vector<Receipt> receipts;
  if (info(recording.world).told == Told::by_address) return receipts;
  const NamedStory named(recording, symbols);
  const Recording& story = named.recording();
  for (const RecordedAct& act : story.acts) {
    const std::string words = words_of_receipt(act);
    if (words.empty()) continue;
    const auto machine =
        std::find_if(story.machines.begin(), story.machines.end(),
                     [&act](const RecordedMachine& each) { return each.number == act.machine; });
    if (machine == story.machines.end()) continue;
    receipts.push_back({act.machine, machine->name, words,
                        static_cast<std::uint64_t>(&act - story.acts.begin()) + 1});
  }
  return receipts;
}

OtherOrder other_order(const std::vector<Receipt>& failing, const std::vector<Receipt>& passing) {
  OtherOrder first;
  std::vector<std::uint32_t> known;
  for (const Receipt& receipt : failing) {
    if (std::find(known.begin(), known.end(), receipt.receiver) != known.end()) continue;
    known.push_back(receipt.receiver);
    const std::vector<Receipt> here = of_receiver(failing, receipt.receiver);
    const std::vector<Receipt> there = of_receiver(passing, receipt.receiver);
    std::size_t place = 0;
    while (place < here.size() && place < there.size() && here[place].words == there[place].words) {
      ++place;
    }
    if (place >= here.size() || place >= there.size()) continue;
    OtherOrder found = order_at(here, there, place);
    if (first.words.empty() || found.event < first.event) first = std::move(found);
  }
  return first;
}

}  // namespace ricercar::inline report
