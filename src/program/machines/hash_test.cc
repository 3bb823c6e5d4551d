// Hashes and descriptions of values: what a state is made of.
#include <gtest/gtest.h>
#include <ricercar/machine.h>

#include <array>
#include <deque>
#include <list>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace ricercar {
namespace {

enum class Colour { red, green };

struct Inner {
  int number = 0;
  std::string text;
};
struct Outer {
  Inner inner;
  std::vector<Inner> all;
  std::map<int, bool> flags;
  std::optional<MachineId> machine;
  std::variant<int, std::string> either;
  std::array<std::uint8_t, 2> bytes = {};
  Colour colour = Colour::red;
  std::pair<int, double> pair;
};

template <typename T>
Hash hash_of(const T& value) {
  Hasher hasher;
  hash_value(hasher, value);
  return hasher.result();
}

template <typename T>
std::string text_of(const T& value) {
  std::string text;
  describe(text, value);
  return text;
}

TEST(Hash, EveryFieldCounts) {
  const Outer plain{};
  std::vector<Outer> changed(10);
  changed[0].inner.number = 1;
  changed[1].inner.text = "x";
  changed[2].all.push_back({});
  changed[3].flags[0] = false;
  changed[4].machine = MachineId(1);
  changed[5].either = 1;
  changed[6].either = std::string();
  changed[7].bytes[1] = 1;
  changed[8].colour = Colour::green;
  changed[9].pair.second = 0.5;
  EXPECT_TRUE(hash_of(plain) == hash_of(Outer{}));
  for (std::size_t i = 0; i < changed.size(); ++i) {
    EXPECT_FALSE(hash_of(changed[i]) == hash_of(plain)) << i;
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_FALSE(hash_of(changed[i]) == hash_of(changed[j])) << i << " and " << j;
    }
  }
}

TEST(Hash, OrderCountsWhereItMeansSomething) {
  EXPECT_FALSE(hash_of(std::vector{1, 2}) == hash_of(std::vector{2, 1}));
  EXPECT_FALSE(hash_of(std::list{1, 2}) == hash_of(std::list{2, 1}));
  std::unordered_set<int> up, down;
  for (int i = 0; i < 100; ++i) up.insert(i);
  for (int i = 100; i-- > 0;) down.insert(i);
  EXPECT_TRUE(hash_of(up) == hash_of(down));
  down.erase(50);
  EXPECT_FALSE(hash_of(up) == hash_of(down));
}

TEST(Hash, PartsDoNotRunIntoEachOther) {
  using Texts = std::vector<std::string>;
  EXPECT_FALSE(hash_of(Texts{"ab", "c"}) == hash_of(Texts{"a", "bc"}));
  using Numbers = std::vector<std::vector<int>>;
  EXPECT_FALSE(hash_of(Numbers{{1}, {}}) == hash_of(Numbers{{}, {1}}));
  EXPECT_FALSE(hash_of(Numbers{{0}}) == hash_of(Numbers{{0, 0}}));
  EXPECT_FALSE(hash_of(std::string("a")) == hash_of(std::string("a\0", 2)));
}

struct WithCache {
  int value = 0;
  int cached = 0;  // can be computed again
  void hash(Hasher& hasher) const { hasher.add(static_cast<std::uint64_t>(value)); }
};

TEST(Hash, ATypeMayHashItself) {
  EXPECT_TRUE(hash_of(WithCache{1, 2}) == hash_of(WithCache{1, 3}));
  EXPECT_FALSE(hash_of(WithCache{1, 2}) == hash_of(WithCache{2, 2}));
}

TEST(Hash, MachinesAreRenamed) {
  const std::uint32_t names[] = {1, 0};
  Hasher hasher(names, 2);
  hash_value(hasher, std::vector{MachineId(0), MachineId(1), MachineId(2)});
  EXPECT_TRUE(hasher.result() == hash_of(std::vector{MachineId(1), MachineId(0), MachineId(2)}));
}

// No two of very many small values have one hash.
TEST(Hash, SmallValuesDoNotCollide) {
  std::set<std::pair<std::uint64_t, std::uint64_t>> seen;
  for (int a = 0; a < 300; ++a) {
    for (int b = 0; b < 300; ++b) {
      const Hash hash = hash_of(std::pair{a, b});
      seen.insert({hash.low, 0});
      seen.insert({0, hash.high});
    }
  }
  EXPECT_EQ(seen.size(), 2U * 300 * 300);
}

TEST(Describe, ShowsValuesAsPeopleWriteThem) {
  EXPECT_EQ(text_of(true), "true");
  EXPECT_EQ(text_of(-3), "-3");
  EXPECT_EQ(text_of(std::string("x")), "\"x\"");
  EXPECT_EQ(text_of(MachineId(4)), "#4");
  EXPECT_EQ(text_of(MachineId()), "nobody");
  EXPECT_EQ(text_of(std::vector{1, 2}), "[1, 2]");
  EXPECT_EQ(text_of(std::vector<int>{}), "[]");
  EXPECT_EQ(text_of(std::optional<int>{}), "none");
  EXPECT_EQ(text_of(std::optional<int>{5}), "5");
  EXPECT_EQ(text_of(std::variant<int, bool>{false}), "false");
  EXPECT_EQ(text_of(std::tuple{1, true}), "(1, true)");
  EXPECT_EQ(text_of(Inner{3, "y"}), "Inner{3, \"y\"}");
  EXPECT_EQ(text_of(std::map<int, bool>{{1, true}}), "[(1, true)]");
  EXPECT_EQ(text_of(Colour::green), "1");
}

}  // namespace
}  // namespace ricercar
