// The options and the figures of a search as structs that name their fields.
#include "model/options.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "base/error.h"
#include "model/figures.h"

namespace ricercar::inline model {
namespace {

struct Base {
  int inherited = 0;

  static constexpr auto fields() { return std::tuple(Field{"inherited", &Base::inherited}); }
};

struct Complete : Base {
  int number = 0;
  FixedText<8> text;

  static constexpr auto fields() {
    return std::tuple(Field{"number", &Complete::number},
                      Field{"text", &Complete::text, Shown::elsewhere});
  }
};

struct Forgetful : Base {
  int number = 0;
  bool forgotten = false;

  static constexpr auto fields() { return std::tuple(Field{"number", &Forgetful::number}); }
};

// What the static_assert behind each such struct asks.
TEST(Fields, AreAllNamedOrItDoesNotCompile) {
  EXPECT_TRUE(names_all_fields<Base>);
  EXPECT_TRUE((names_all_fields<Complete, Base>));
  EXPECT_FALSE((names_all_fields<Forgetful, Base>));
}

template <typename Struct>
std::vector<std::string> names_of() {
  std::vector<std::string> names;
  const Struct object;
  visit_fields<Struct>(object,
                       [&](const auto& field, const auto&) { names.push_back(field.name); });
  return names;
}

TEST(Fields, AreVisitedInOrderAndOnlyThoseOfTheStructItself) {
  EXPECT_EQ(names_of<Complete>(), (std::vector<std::string>{"number", "text"}));
  EXPECT_EQ(names_of<Base>(), std::vector<std::string>{"inherited"});
}

TEST(Fields, CanBeChanged) {
  Complete object;
  visit_fields<Base>(object, [](const auto&, int& value) { value = 5; });
  EXPECT_EQ(object.inherited, 5);
  EXPECT_EQ(object.number, 0);
}

// They are in files, and files are read by later versions: names stay, and so does their order.
TEST(Options, OfASchedulesFileHaveTheirNames) {
  EXPECT_EQ(names_of<ScheduleOptions>(),
            (std::vector<std::string>{"points", "races", "spurious_wakeups", "weak_failures",
                                      "seed", "max_steps", "hang_seconds", "strategy"}));
}

// A row that names one member and points to another one would be seen here: members of the same
// type that are all different are still different, and in their places.
TEST(Options, HaveRowsThatPointToTheirOwnMembers) {
  SearchOptions options;
  std::vector<const void*> places;
  const auto note = [&](const auto&, const auto& value) { places.push_back(&value); };
  visit_fields<ScheduleOptions>(options, note);
  visit_fields<SearchOptions>(options, note);
  for (std::size_t i = 1; i < places.size(); ++i) EXPECT_LT(places[i - 1], places[i]) << i;
}

TEST(Figures, HaveRowsThatPointToTheirOwnMembers) {
  SearchFigures figures;
  std::vector<const void*> places;
  const auto note = [&](const auto&, const auto& value) { places.push_back(&value); };
  visit_fields<Explored>(figures, note);
  visit_fields<SearchFigures>(figures, note);
  for (std::size_t i = 1; i < places.size(); ++i) EXPECT_LT(places[i - 1], places[i]) << i;
}

TEST(Options, PassAsBytesToAnotherProcess) {
  SearchOptions options;
  options.strategy = "pct:depth=3";
  options.cores = 3;
  alignas(SearchOptions) char memory[sizeof options];
  std::memcpy(memory, &options, sizeof options);
  const auto& other = *reinterpret_cast<const SearchOptions*>(memory);
  EXPECT_EQ(std::string_view(other.strategy), "pct:depth=3");
  EXPECT_EQ(other.cores, 3U);
}

TEST(Points, AreFoundByName) {
  for (const std::string_view name : point_names) EXPECT_EQ(name_of(points_by_name(name)), name);
}

std::string complaint(const std::string& points) {
  try {
    points_by_name(points);
    return {};
  } catch (const UsageError& error) {
    return error.what();
  }
}

TEST(Points, ThatDoNotExistAreAnsweredWithTheNearest) {
  EXPECT_EQ(
      complaint("atomc"),
      "there are no choice points 'atomc'; did you mean 'atomic'?; there are sync, atomic, racy, "
      "shared and memory");
  EXPECT_EQ(complaint("x"),
            "there are no choice points 'x'; there are sync, atomic, racy, shared and memory");
}

TEST(StrategyTexts, ThatDoNotFitAreRefusedAndNeverCut) {
  const std::string longest(StrategyText::room, 'x');
  EXPECT_EQ(std::string_view(strategy_text(longest)), longest);
  EXPECT_THROW(strategy_text(longest + "x"), UsageError);
}

TEST(Texts, AreCutWhereTheyDoNotFit) {
  FixedText<4> text = "abcdef";
  EXPECT_EQ(std::string_view(text), "abc");
  text = "d";
  EXPECT_EQ(text, FixedText<4>("d"));
  EXPECT_FALSE(text.empty());
  EXPECT_TRUE(FixedText<4>("").empty());
}

}  // namespace
}  // namespace ricercar::inline model
