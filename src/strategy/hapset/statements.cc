#include "strategy/hapset/statements.h"

#include "base/check.h"
#include "base/random.h"

namespace ricercar {
namespace {

// Sites are addresses of user space: 47 bits.
std::uint64_t key_of(std::uint64_t site, ContextId context) {
  return mix64(site) ^ (std::uint64_t{context} << 32 | context);
}

}  // namespace

Places (*find_places)(std::span<const std::uint64_t> addresses) = nullptr;

void Statements::want(std::uint64_t address) {
  if (places_.try_emplace(address).second) wanted_.push_back(address);
}

void Statements::prepare(Trace trace, std::span<const ContextId> contexts) {
  wanted_.clear();
  for (std::size_t i = 0; i < trace.size(); ++i) {
    if (known_.contains(key_of(trace[i].site, contexts[i]))) continue;
    want(trace[i].site);
    for (const std::uint64_t call : contexts_.calls(contexts[i])) want(call);
  }
  if (wanted_.empty()) return;
  if (find_places == nullptr) {
    for (const std::uint64_t address : wanted_) places_[address] = {2 * address};
    return;
  }
  const Places found = find_places(wanted_);
  RICERCAR_CHECK(found.ends.size() == wanted_.size());
  std::uint32_t begin = 0;
  for (std::size_t i = 0; i < wanted_.size(); ++i) {
    places_[wanted_[i]].assign(found.places.begin() + begin, found.places.begin() + found.ends[i]);
    begin = found.ends[i];
  }
}

void Statements::add_places(std::uint64_t address, bool is_call,
                            std::vector<std::uint64_t>& to) const {
  for (const std::uint64_t place : places_.at(address)) {
    const bool counts = !is_call || (place & foreign_place) == 0;
    if (counts && to.size() <= contexts_.depth()) to.push_back(place);
  }
}

Statements::Statement Statements::at(const Step& step, ContextId context) {
  const auto [known, is_new] = known_.try_emplace(key_of(step.site, context));
  if (!is_new) return known->second;
  std::vector<std::uint64_t> places;
  add_places(step.site, false, places);
  for (const std::uint64_t call : contexts_.calls(context)) add_places(call, true, places);
  known->second = sets_.statement(places);
  return known->second;
}

}  // namespace ricercar
