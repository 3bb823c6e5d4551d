// The checker of histories against all permutations of small ones, and by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "ricercar/history.h"

namespace ricercar {
namespace {

using models::Lock;
using models::Map;
using models::Queue;
using models::Register;

Value number(std::int64_t value) { return Value::of(value); }
Value nothing() { return Value(); }

constexpr std::uint64_t never = Operation::never;

// --- All permutations ---

// An order is possible if nobody comes before who was called after the other had come back.
bool keeps_time(const std::vector<const Operation*>& order) {
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (std::size_t j = i + 1; j < order.size(); ++j) {
      if (order[j]->responded() < order[i]->invoked()) return false;
    }
  }
  return true;
}

template <typename Model>
bool explains_order(const std::vector<const Operation*>& order, Model model) {
  return std::all_of(order.begin(), order.end(),
                     [&](const Operation* each) { return model.apply(*each); });
}

template <typename Model>
bool some_order_explains(std::vector<const Operation*> chosen, const Model& model) {
  std::sort(chosen.begin(), chosen.end());
  do {
    if (keeps_time(chosen) && explains_order(chosen, model)) return true;
  } while (std::next_permutation(chosen.begin(), chosen.end()));
  return false;
}

// Every choice among those without an answer, in every order.
template <typename Model>
bool by_all_orders(const History& history, const Model& model) {
  for (std::uint32_t left_out = 0; left_out < 1U << history.size(); ++left_out) {
    std::vector<const Operation*> chosen;
    bool is_possible = true;
    for (std::size_t i = 0; i < history.size(); ++i) {
      const bool is_out = (left_out >> i & 1) != 0;
      if (is_out && history[i].has_come_back()) is_possible = false;
      if (!is_out) chosen.push_back(&history[i]);
    }
    if (is_possible && some_order_explains(chosen, model)) return true;
  }
  return false;
}

// --- Histories by chance ---

class Random {
 public:
  explicit Random(std::uint32_t seed) : generator_(seed) {}
  std::uint32_t below(std::uint32_t n) { return generator_() % n; }

 private:
  std::mt19937 generator_;
};

struct Call {
  std::string name;
  std::vector<Value> arguments;
  Value result;
};

Call register_call(Random& random) {
  switch (random.below(3)) {
    case 0:
      return {"write", {number(random.below(2))}, nothing()};
    case 1:
      return {"compare_and_set",
              {number(random.below(2)), number(random.below(2))},
              Value::of(random.below(2) == 0)};
    default:
      return {"read", {}, random.below(3) == 0 ? nothing() : number(random.below(2))};
  }
}

Call queue_call(Random& random) {
  if (random.below(2) == 0) return {"push", {number(random.below(2))}, nothing()};
  return {"pop", {}, random.below(3) == 0 ? nothing() : number(random.below(2))};
}

Call map_call(Random& random) {
  const Value key = number(random.below(2));
  switch (random.below(4)) {
    case 0:
      return {"remove", {key}, nothing()};
    case 1:
      return {"put", {key, number(random.below(2))}, nothing()};
    default:
      return {"get", {key}, random.below(3) == 0 ? nothing() : number(random.below(2))};
  }
}

Call lock_call(Random& random) {
  switch (random.below(3)) {
    case 0:
      return {"lock", {}, nothing()};
    case 1:
      return {"unlock", {}, nothing()};
    default:
      return {"try_lock", {}, Value::of(random.below(2) == 0)};
  }
}

// Three clients, each with one call at a time; the last ones may not have come back.
template <typename NextCall>
History random_history(Random& random, std::uint32_t size, NextCall next_call) {
  constexpr std::uint32_t clients = 3;
  struct Open {
    bool is_open = false;
    Call call;
    std::uint64_t invoked = 0;
  };
  Open open[clients];
  History history;
  const auto close = [&](std::uint32_t client, std::uint64_t responded) {
    const Call& call = open[client].call;
    history.emplace_back(std::string(1, static_cast<char>('a' + client)), call.name, call.arguments,
                         responded == never ? nothing() : call.result, open[client].invoked,
                         responded);
    open[client].is_open = false;
  };
  std::uint32_t begun = 0;
  for (std::uint64_t time = 1; begun < size; ++time) {
    const std::uint32_t client = random.below(clients);
    if (open[client].is_open) {
      close(client, time);
    } else {
      open[client] = {true, next_call(random), time};
      ++begun;
    }
  }
  for (std::uint32_t i = 0; i < clients; ++i) {
    if (open[i].is_open) close(i, random.below(2) == 0 ? never : 100 + i);
  }
  return history;
}

template <typename Model, typename NextCall>
void compare(NextCall next_call) {
  Random random(7);
  int explained = 0;
  constexpr int histories = 1500;
  for (int i = 0; i < histories; ++i) {
    const History history = random_history(random, 2 + random.below(4), next_call);
    const bool expected = by_all_orders(history, Model());
    explained += expected ? 1 : 0;
    ASSERT_EQ(detail::is_linearizable(history, Model()), expected)
        << detail::words_of_history(history);
    char message[1024];
    ASSERT_EQ(detail::explains(history, Model(), message, sizeof message), expected)
        << detail::words_of_history(history);
  }
  EXPECT_GT(explained, histories / 20);
  EXPECT_LT(explained, histories - histories / 20);
}

TEST(Linearizable, IsARegisterWhereSomeOrderOfAllIs) { compare<Register>(register_call); }
TEST(Linearizable, IsAQueueWhereSomeOrderOfAllIs) { compare<Queue>(queue_call); }
TEST(Linearizable, IsAMapWhereSomeOrderOfAllIs) { compare<Map>(map_call); }
TEST(Linearizable, IsALockWhereSomeOrderOfAllIs) { compare<Lock>(lock_call); }

// --- The shortest part ---

TEST(Shortest, LeavesOutWhatIsNotNeeded) {
  const History history = {
      {"a", "write", {number(1)}, nothing(), 1, 2}, {"b", "read", {}, number(1), 3, 4},
      {"a", "write", {number(2)}, nothing(), 5, 6}, {"b", "write", {number(3)}, nothing(), 7, 8},
      {"a", "read", {}, number(3), 9, 10},          {"b", "read", {}, number(2), 11, 12}};
  ASSERT_FALSE(detail::is_linearizable(history, Register()));
  EXPECT_EQ(detail::words_of_history(detail::shortest_unexplained(history, Register())),
            "a: write(2) = nothing [5-6]; a: read() = 3 [9-10]; b: read() = 2 [11-12]");
}

// Whatever is left out can have been anything; without any one of the rest all can be explained.
TEST(Shortest, HasNothingThatCouldGo) {
  Random random(11);
  int looked_at = 0;
  for (int i = 0; i < 2000; ++i) {
    const History history = random_history(random, 5, register_call);
    if (by_all_orders(history, Register())) continue;
    ++looked_at;
    const History shortest = detail::shortest_unexplained(history, Register());
    ASSERT_FALSE(shortest.empty());
    for (const Operation& without : shortest) {
      History doubted = history;
      for (Operation& each : doubted) {
        const bool is_kept =
            std::any_of(shortest.begin(), shortest.end(), [&](const Operation& other) {
              return other.invoked() == each.invoked() && each.invoked() != without.invoked();
            });
        if (!is_kept) each = each.in_doubt();
      }
      ASSERT_TRUE(by_all_orders(doubted, Register())) << detail::words_of_history(history);
    }
  }
  EXPECT_GT(looked_at, 100);
}

TEST(Shortest, IsAboutOnePartOfAMap) {
  const History history = {{"a", "put", {Value::of("x"), number(1)}, nothing(), 1, 2},
                           {"b", "put", {Value::of("y"), number(1)}, nothing(), 3, 4},
                           {"a", "get", {Value::of("x")}, number(1), 5, 6},
                           {"b", "get", {Value::of("y")}, nothing(), 7, 8}};
  char message[256];
  ASSERT_FALSE(detail::explains(history, Map(), message, sizeof message));
  EXPECT_STREQ(message, "b: put(\"y\", 1) = nothing [3-4]; b: get(\"y\") = nothing [7-8]");
}

TEST(Linearizable, HasALimit) {
  History history;
  for (std::uint64_t i = 0; i < 12; ++i) {
    history.push_back({"c", "push", {number(static_cast<std::int64_t>(i))}, nothing(), 1, 100 + i});
  }
  history.push_back({"d", "pop", {}, number(77), 200, 201});
  EXPECT_THROW(detail::Linearizer<Queue>(history, Queue(), 1000).is_explained(),
               detail::TooManyStates);
}

TEST(Linearizable, TakesAModelOfOnesOwn) {
  struct Counter {
    std::int64_t count = 0;
    bool apply(const Operation& operation) { return operation.returns(++count); }
    bool operator==(const Counter&) const = default;
  };
  const History right = {{"a", "next", {}, number(2), 1, 3}, {"b", "next", {}, number(1), 2, 4}};
  const History wrong = {{"a", "next", {}, number(2), 1, 2}, {"b", "next", {}, number(1), 3, 4}};
  EXPECT_TRUE(detail::is_linearizable(right, Counter()));
  EXPECT_FALSE(detail::is_linearizable(wrong, Counter()));
}

TEST(Models, NameTheOperationsThatTheyKnow) {
  const Operation strange("a", "jump", {}, nothing(), 1, 2);
  EXPECT_THROW(Register().apply(strange), std::invalid_argument);
  EXPECT_THROW(Map().apply(strange), std::invalid_argument);
  EXPECT_THROW(Queue().apply(strange), std::invalid_argument);
  EXPECT_THROW(Lock().apply(strange), std::invalid_argument);
}

}  // namespace
}  // namespace ricercar
