#include "strategy/hapset/statements.h"

#include "base/check.h"
#include "strategy/hapset/effect.h"

namespace ricercar::inline strategy {
Places (*find_places)(std::span<const std::uint64_t> addresses) = nullptr;

void Statements::want(std::uint64_t address) {
  if (places_.try_emplace(address).second) wanted_.push_back(address);
}

// Sites are addresses of user space, 47 bits, so that few contexts share a number with another one.
Statements::Statement& Statements::known(const Step& step, ContextId context) {
  return known_.at(step.site + 1 + (std::uint64_t{context} << 47), unknown);
}

std::span<const Statements::Statement> Statements::of(Trace trace,
                                                      std::span<const ContextId> contexts) {
  wanted_.clear();
  answer_.clear();
  bool is_complete = true;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    answer_.push_back(effect_of(trace[i]) ? known(trace[i], contexts[i]) : no_statement);
    if (answer_.back() != unknown) continue;
    is_complete = false;
    want(trace[i].site);
    for (const std::uint64_t call : contexts_.calls(contexts[i])) want(call);
  }
  if (is_complete) return answer_;
  find_wanted();
  for (std::size_t i = 0; i < trace.size(); ++i) {
    if (answer_[i] == unknown) answer_[i] = at(trace[i], contexts[i]);
  }
  return answer_;
}

void Statements::find_wanted() {
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

void Statements::add_users_places(std::uint64_t address, std::vector<std::uint64_t>& to) const {
  for (const std::uint64_t place : places_.at(address)) {
    if ((place & foreign_place) == 0 && to.size() <= calls_) to.push_back(place);
  }
}

Statements::Statement Statements::at(const Step& step, ContextId context) {
  if (const Statement found = known(step, context); found != unknown) return found;
  std::vector<std::uint64_t> places;
  add_users_places(step.site, places);
  for (const std::uint64_t call : contexts_.calls(context)) add_users_places(call, places);
  if (places.empty()) places.push_back(places_.at(step.site)[0] & ~foreign_place);
  const Statement statement = sets_.statement(places);
  known(step, context) = statement;
  return statement;
}

}  // namespace ricercar::inline strategy
