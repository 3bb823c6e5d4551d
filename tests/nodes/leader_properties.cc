// Properties of two nodes that agree on a leader (leaders.cc). Compiled once for all tests: the
// variable PROPERTIES says which are there, with commas between them.
#include <ricercar/properties.h>

#include <cstdlib>

using ricercar::always;
using ricercar::Property;
using ricercar::State;

namespace {

bool is_wanted(const std::string& name) {
  const char* wanted = std::getenv("PROPERTIES");
  return wanted != nullptr &&
         ("," + std::string(wanted) + ",").find("," + name + ",") != std::string::npos;
}

int* volatile nowhere = nullptr;
int idle = 0;

template <typename Predicate>
void add(const char* name, Predicate predicate) {
  if (is_wanted(name)) always(name, predicate);
}

bool add_all() {
  add("one leader", [](const State& state) {
    int leaders = 0;
    for (const auto& node : state.nodes_with("leads")) leaders += state.boolean(node, "leads");
    return leaders <= 1;
  });
  if (is_wanted("again")) always("one leader", [](const State&) { return true; });
  add("b hears nothing", [](const State& state) { return state.integer("b", "heard") != -1; });
  add("what is lost is not delivered", [](const State& state) {
    return state.delivered("a", "b") <= state.sent("a", "b") && state.sent("a", "a") == 0 &&
           state.delivered() <= state.sent() && state.sent() <= 2;
  });
  add("a leader stays one", [](const State& before, const State& now) {
    return now.text("a", "name") == "a" && now.number("a", "load") == 0.5 &&
           before.boolean("a", "leads") == now.boolean("a", "leads");
  });
  add("typed wrong", [](const State& state) { return state.boolean("a", "laeds"); });
  add("comes once",
      [](const State& state) { return state.delivered("a", "b") <= state.sent("a", "b"); });
  add("is not forgotten", [](const State& before, const State& now) {
    return !before.has("a", "heard") || now.has("a", "heard");
  });
  add("one leads alone", [](const State& state) {
    return !(state.global<bool>("a", "is_leader") && state.global<bool>("b", "is_leader"));
  });
  add("variables are what is reported", [](const State& state) {
    return !state.has("a", "heard") ||
           (state.global("a", "state.heard") == state.integer("a", "heard") &&
            state.global<double>("a", "load") == (state.boolean("a", "leads") ? 1.5 : 0.25));
  });
  add("of nobody", [](const State& state) { return state.integer("c", "leads") == 0; });
  add("of no variable", [](const State& state) { return state.global("a", "is_laeder") == 0; });
  add("of a text", [](const State& state) { return state.global("a", "own_name") == 0; });
  add("that crashes", [](const State& state) { return *nowhere == state.integer("a", "heard"); });
  add("that hangs", [](const State& state) {
    while (state.has("a", "heard")) ++idle;
    return true;
  });
  return true;
}

bool add_temporal() {
  if (!is_wanted("temporal")) return false;
  ricercar::eventually("a leads", [](const State& state) { return state.boolean("a", "leads"); });
  ricercar::until(
      "b waits", [](const State& state) { return !state.has("b", "leads"); },
      [](const State& state) { return state.has("a", "leads"); });
  ricercar::leads_to(
      "both hear", [](const State& state) { return state.integer("a", "heard") == -1; },
      [](const State& state) { return state.integer("b", "heard") == -1; });
  return true;
}

const bool is_added = add_all();
const bool is_temporal_added = add_temporal();

}  // namespace
