#include "nodes/properties.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "nodes/property_watch.h"

namespace ricercar::inline nodes {
namespace {

constexpr std::size_t most_watched = 12;  // values in a message
constexpr std::size_t longest_message = 900;

}  // namespace

// --- What a property sees ---

ricercar_state ClusterView::state() {
  ricercar_state state = {};
  state.host = this;
  state.node_count = [](void* host) { return of(host).cluster_.size(); };
  state.node_name = [](void* host, std::uint32_t number) {
    return of(host).cluster_.plan(number).name.c_str();
  };
  state.value = [](void* host, const char* node, const char* name, int is_before) {
    return of(host).value(node, name, is_before != 0);
  };
  state.global = [](void* host, const char* node, const char* name, const char** error) {
    const ricercar_value* value = of(host).global(node, name);
    *error = of(host).error_.empty() ? nullptr : of(host).error_.c_str();
    return value;
  };
  state.sent = [](void* host, const char* from, const char* to) {
    return of(host).count(from, to, "sent", &Network::sent);
  };
  state.delivered = [](void* host, const char* from, const char* to) {
    return of(host).count(from, to, "delivered", &Network::delivered);
  };
  state.operations = [](void* host, const ricercar_operation** list) {
    const std::vector<ricercar_operation>& all = of(host).operations_.all();
    *list = all.data();
    return static_cast<std::uint32_t>(all.size());
  };
  return state;
}

std::uint32_t ClusterView::number_of(const char* node) const {
  for (std::uint32_t i = 0; i < cluster_.size(); ++i) {
    if (cluster_.plan(i).name == node) return i;
  }
  return no_node;
}

const ricercar_value* ClusterView::value(const char* node, const char* name, bool is_before) {
  const std::uint32_t number = number_of(node);
  const NamedValue* found =
      is_before ? values_.find_before(number, name) : values_.find(number, name);
  if (found == nullptr) return nullptr;
  if (is_watched_) {
    note(fmt::format("{}.{} {} {}", node, name, is_before ? "was" : "=", found->words()));
  }
  return &found->get();
}

const ricercar_value* ClusterView::global(const char* node, const char* name) {
  error_.clear();
  has_seen_inside_ = true;
  const std::uint32_t number = number_of(node);
  if (number == no_node || !is_running_(number)) return nullptr;
  try {
    const ricercar_value* value = globals_.read(number, name);
    if (value != nullptr && is_watched_) {
      note(fmt::format("{}.{} = {}", node, name, NamedValue(*value).words()));
    }
    return value;
  } catch (const UsageError& error) {
    error_ = error.what();
    return nullptr;
  }
}

template <typename Count>
std::uint64_t ClusterView::count(const char* from, const char* to, const char* what,
                                 Count counter) {
  has_seen_inside_ = true;
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < cluster_.size(); ++i) {
    for (std::uint32_t j = 0; j < cluster_.size(); ++j) {
      const bool is_meant = (from == nullptr || cluster_.plan(i).name == from) &&
                            (to == nullptr || cluster_.plan(j).name == to);
      if (is_meant) sum += (cluster_.network().*counter)(i, j);
    }
  }
  if (is_watched_) {
    const std::string way = from == nullptr ? "" : fmt::format(" from {} to {}", from, to);
    note(fmt::format("messages {}{} = {}", what, way, sum));
  }
  return sum;
}

void ClusterView::note(const std::string& words) {
  if (std::find(watched_.begin(), watched_.end(), words) == watched_.end()) {
    watched_.push_back(words);
  }
}

std::string ClusterView::take_watched() {
  std::string all;
  for (std::size_t i = 0; i < std::min(watched_.size(), most_watched); ++i) {
    all += (i == 0 ? "" : ", ") + watched_[i];
  }
  if (watched_.size() > most_watched) all += ", ...";
  watched_.clear();
  is_watched_ = false;
  return all;
}

// --- Loading ---

Properties::Properties(const std::string& library) {
  if (library.empty()) return;
  void* loaded = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (loaded == nullptr) {
    throw UsageError(fmt::format("the properties cannot be loaded: {}", ::dlerror()));
  }
  load(loaded);
}

void Properties::load(void* library) {
  const auto list =
      reinterpret_cast<ricercar_property_list>(::dlsym(library, "ricercar_properties"));
  std::uint32_t count = 0;
  const ricercar_property* first =
      list == nullptr ? nullptr : list(RICERCAR_PROPERTIES_VERSION, &count);
  if (first == nullptr || count == 0) {
    throw UsageError(
        "the file of properties has none: include <ricercar/properties.h> and call "
        "ricercar::always");
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    for (const Known& other : all_) {
      if (std::strcmp(other.property.name, first[i].name) == 0) {
        throw UsageError(fmt::format("there are two properties '{}'", first[i].name));
      }
    }
    all_.push_back({first[i]});
  }
}

// --- Asking ---

void Properties::begin_execution() {
  for (Known& known : all_) {
    known.is_settled = known.is_open = false;
    known.answered = 0;
  }
}

// Of its predicate number `which`; `if_not_there`: what to take where a value is missing.
bool Properties::is_true(Known& known, std::uint32_t which, ClusterView& view, bool if_not_there) {
  char message[longest_message] = "";
  const ricercar_state state = view.state();
  const ricercar_property& property = known.property;
  const AskedProperty asked(property.name);
  const std::uint32_t answer =
      property.check(property.self, which, &state, message, sizeof message);
  if (answer == RICERCAR_THREW) {
    throw PropertyThrew(
        fmt::format("the property '{}' has thrown an exception: {}", property.name, message));
  }
  if (answer == RICERCAR_NOT_THERE) return if_not_there;
  ++known.judged;
  return answer == RICERCAR_TRUE;
}

std::optional<Properties::Violation> Properties::check(ClusterView& view) {
  for (Known& known : all_) {
    if (auto found = check(known, view)) return found;
  }
  return std::nullopt;
}

std::optional<Properties::Violation> Properties::check(Known& known, ClusterView& view) {
  switch (known.property.kind) {
    case RICERCAR_ALWAYS:
      if (is_true(known, 0, view, true)) break;
      return violation(known, 0, view, "does not hold");
    case RICERCAR_EVENTUALLY:
      if (!known.is_settled) known.is_settled = is_true(known, 0, view, false);
      break;
    case RICERCAR_UNTIL:
      if (!known.is_settled) known.is_settled = is_true(known, 1, view, false);
      if (known.is_settled || is_true(known, 0, view, true)) break;
      return violation(known, 0, view, "does not hold until what it waits for is true");
    case RICERCAR_LEADS_TO:
      if (is_true(known, 1, view, false)) {
        known.is_open = false;
      } else if (is_true(known, 0, view, false)) {
        known.is_open = true;
      }
      break;
    case RICERCAR_HISTORY:
      if (!has_more_to_see(known, view) || is_true(known, 0, view, true)) break;
      return violation(known, 0, view, "is not linearizable");
    default:
      break;
  }
  return std::nullopt;
}

// A history that is explained stays so until the next answer.
bool Properties::has_more_to_see(Known& known, ClusterView& view) {
  return std::exchange(known.answered, view.answered()) != view.answered();
}

std::optional<Properties::Violation> Properties::at_end(ClusterView& view) {
  for (const Known& known : all_) {
    const std::uint32_t kind = known.property.kind;
    if (kind == RICERCAR_EVENTUALLY && !known.is_settled) {
      return violation(known, 0, view, "has not come true when the execution ends");
    }
    if (kind == RICERCAR_UNTIL && !known.is_settled) {
      return violation(known, 1, view, "waits for what has not come true when the execution ends");
    }
    if (kind == RICERCAR_LEADS_TO && known.is_open) {
      return violation(known, 1, view, "has led to nothing when the execution ends");
    }
  }
  return std::nullopt;
}

// Asks once more, to see what it looks at.
Properties::Violation Properties::violation(const Known& known, std::uint32_t which,
                                            ClusterView& view, const std::string& how) const {
  char message[longest_message] = "";
  view.watch();
  const ricercar_state state = view.state();
  const AskedProperty asked(known.property.name);
  known.property.check(known.property.self, which, &state, message, sizeof message);
  const std::string watched = view.take_watched();
  const std::string values = known.property.kind == RICERCAR_HISTORY ? message : watched;
  const auto number = static_cast<std::uint32_t>(&known - all_.data());
  return {number,
          fmt::format("'{}' {}{}{}", known.property.name, how, values.empty() ? "" : ": ", values)};
}

std::vector<RecordedProperty> Properties::recorded() const {
  constexpr const char* kinds[] = {"always", "eventually", "until", "leads_to", "linearizable"};
  std::vector<RecordedProperty> all;
  for (const Known& known : all_) all.push_back({known.property.name, kinds[known.property.kind]});
  return all;
}

std::vector<std::uint32_t> Properties::take_judged() {
  std::vector<std::uint32_t> numbers;
  for (std::size_t i = 0; i < all_.size(); ++i) {
    if (std::exchange(all_[i].taken, all_[i].judged) != all_[i].judged) {
      numbers.push_back(static_cast<std::uint32_t>(i));
    }
  }
  return numbers;
}

std::vector<std::uint64_t> Properties::times_judged() const {
  std::vector<std::uint64_t> times;
  for (const auto& known : all_) times.push_back(known.judged);
  return times;
}

void Properties::add_times_judged(const std::vector<std::uint64_t>& times) {
  for (std::size_t i = 0; i < std::min(times.size(), all_.size()); ++i) all_[i].judged += times[i];
}

std::vector<std::string> Properties::never_judged() const {
  std::vector<std::string> names;
  for (const Known& known : all_) {
    if (known.judged == 0) names.emplace_back(known.property.name);
  }
  return names;
}

void Properties::forget_judged() {
  for (Known& known : all_) known.judged = known.taken = 0;
}

}  // namespace ricercar::inline nodes
