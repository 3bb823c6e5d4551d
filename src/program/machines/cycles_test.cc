// Fair cycles through hot states, found by a search that ends executions at states that it knows.
// The oracle is the graph of all states of small random systems, worked out without the world.
#include <gtest/gtest.h>

#include <array>

#include "base/random.h"
#include "machines/test_run.h"

namespace ricercar::machines {
namespace {

struct Said {
  int value = 0;
};
struct Walk {};

// What a walker may do at each of its places: go on to one of these, or nothing, which ends it.
// What it says there: 1 makes the monitor hot, 2 cold, 0 leaves it as it is.
struct Map {
  static constexpr int places = 3;
  std::array<std::vector<int>, places> ways;
  std::array<int, places> says;
};
std::array<Map, 2> maps;  // of two walkers, set before a search

struct Walker : Machine {
  int number = 0;
  int place = 0;

  struct Only;
  static void define(Definition<Walker>& machine) {
    machine.state<Only>().entry(&Walker::rest).on<Walk>(&Walker::walk);
  }
  void rest() { send(self(), Walk{}); }
  void walk() {
    const Map& map = maps[static_cast<std::size_t>(number)];
    const std::vector<int>& ways = map.ways[static_cast<std::size_t>(place)];
    if (ways.empty()) return halt();
    place = ways[ways.size() == 1 ? 0 : choose(static_cast<std::uint32_t>(ways.size()))];
    announce(Said{map.says[static_cast<std::size_t>(place)]});
    send(self(), Walk{});
  }
};

struct Debt : Monitor {
  struct Calm;
  struct Owing;
  static void define(Definition<Debt>& monitor) {
    monitor.state<Calm>().on(&Debt::said);
    monitor.state<Owing>().on(&Debt::said).hot();
  }
  void said(const Said& word) {
    if (word.value == 1) go_to<Owing>();
    if (word.value == 2) go_to<Calm>();
  }
};

void set_up(System& system) {
  system.monitor<Debt>();
  system.create(Walker{{}, 0});
  system.create(Walker{{}, 1});
}

Map random_map(Random& random) {
  Map map;
  for (std::size_t i = 0; i < map.places; ++i) {
    const std::uint32_t ways = random.below(3);
    for (std::uint32_t j = 0; j < ways; ++j) {
      map.ways[i].push_back(static_cast<int>(random.below(map.places)));
    }
    const std::uint32_t word = random.below(8);
    map.says[i] = word == 0 ? 2 : word < 4 ? 1 : 0;
  }
  return map;
}

// --- The oracle: places of both walkers (one more: it has ended), and whether the monitor is hot
// ---

constexpr int ended = Map::places;
constexpr int states = (ended + 1) * (ended + 1) * 2;

struct Configuration {
  std::array<int, 2> place;
  int hot;

  int number() const { return (place[0] * (ended + 1) + place[1]) * 2 + hot; }
  static Configuration of(int number) {
    return {{number / 2 / (ended + 1), number / 2 % (ended + 1)}, number % 2};
  }
};

std::vector<Configuration> after_step(const Configuration& from, std::size_t walker) {
  if (from.place[walker] == ended) return {};
  const Map& map = maps[walker];
  std::vector<Configuration> next;
  for (const int way : map.ways[static_cast<std::size_t>(from.place[walker])]) {
    Configuration to = from;
    to.place[walker] = way;
    const int word = map.says[static_cast<std::size_t>(way)];
    if (word != 0) to.hot = word == 1 ? 1 : 0;
    next.push_back(to);
  }
  if (next.empty()) {
    next.push_back(from);
    next.back().place[walker] = ended;
  }
  return next;
}

using Reach = std::array<std::array<bool, states>, states>;

// Which states can be reached from which, over hot ones only or over all.
Reach closure(bool only_hot) {
  Reach reach = {};
  for (int i = 0; i < states; ++i) {
    const Configuration from = Configuration::of(i);
    for (std::size_t walker = 0; walker < 2; ++walker) {
      for (const Configuration& to : after_step(from, walker)) {
        if (!only_hot || (from.hot == 1 && to.hot == 1)) {
          reach[static_cast<std::size_t>(i)][static_cast<std::size_t>(to.number())] = true;
        }
      }
    }
  }
  for (std::size_t k = 0; k < states; ++k) {
    for (std::size_t i = 0; i < states; ++i) {
      for (std::size_t j = 0; j < states; ++j) {
        reach[i][j] = reach[i][j] || (reach[i][k] && reach[k][j]);
      }
    }
  }
  return reach;
}

// Whether this walker has ended in a hot state, or can take a step from a state that is on a way
// from there and back, to one that is.
bool gets_its_turn(const Reach& hot, std::size_t state, std::size_t walker) {
  if (Configuration::of(static_cast<int>(state)).place[walker] == ended) return true;
  for (std::size_t i = 0; i < states; ++i) {
    if (i != state && !(hot[state][i] && hot[i][state])) continue;
    for (const Configuration& to : after_step(Configuration::of(static_cast<int>(i)), walker)) {
      const auto j = static_cast<std::size_t>(to.number());
      if (hot[i][j] && (j == state || hot[j][state])) return true;
    }
  }
  return false;
}

bool has_fair_hot_cycle() {
  const Reach all = closure(false);
  const Reach hot = closure(true);
  for (std::size_t state = 0; state < states; ++state) {
    const bool is_reached = state == 0 || all[0][state];
    if (!is_reached || !hot[state][state]) continue;
    if (gets_its_turn(hot, state, 0) && gets_its_turn(hot, state, 1)) return true;
  }
  return false;
}

bool finds_cycle(const std::string& strategy) {
  for (const std::string& ending : run_all(set_up, strategy).endings) {
    if (ending.find(" forever: ") != std::string::npos) return true;
  }
  return false;
}

TEST(Cycles, AreFoundExactlyWhereTheGraphOfAllStatesHasOne) {
  int cycles = 0;
  int found_without = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Random random(seed);
    for (Map& map : maps) map = random_map(random);
    const bool expected = has_fair_hot_cycle();
    for (const char* strategy :
         {"ses:cycles=yes", "ses:cycles=yes,explorer=rtc", "ses:cycles=yes,step=3"}) {
      ASSERT_EQ(finds_cycle(strategy), expected) << "seed " << seed << ", " << strategy;
    }
    if (expected) ++cycles;
    if (finds_cycle("ses")) {
      EXPECT_TRUE(expected) << "seed " << seed;
      ++found_without;
    }
  }
  EXPECT_GT(cycles, 50);
  EXPECT_LT(cycles, 250);
  EXPECT_LT(found_without, cycles);
}

TEST(Cycles, AreRunByTheWorldWithTheirLength) {
  // Both walk on the spot; the first one makes the monitor hot. Each takes its event, announces,
  // which the monitor hears, and sends.
  maps = {Map{{{{0}, {}, {}}}, {1, 0, 0}}, Map{{{{0}, {}, {}}}, {0, 0, 0}}};
  const Runs plain = run_all(set_up, "ses");
  const Runs runs = run_all(set_up, "ses:cycles=yes");
  EXPECT_TRUE(plain.endings.empty());
  EXPECT_EQ(runs.endings,
            (std::set<std::string>{"property: monitor Debt is in its hot state Owing forever: the "
                                   "last 8 steps can be repeated without end"}));
}

}  // namespace
}  // namespace ricercar::machines
