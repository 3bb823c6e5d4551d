// Capabilities: who offers which, and that a wrapper passes each of them on.
#include "strategy/wrapper.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "strategy/hapset/predecessor_sets.h"
#include "strategy/registry.h"

namespace ricercar::inline strategy {
namespace {

using Calls = std::vector<std::string>;

class Plain : public Strategy {
 public:
  bool begin() override { return true; }
  std::size_t choose(const ChoicePoint&) override { return 0; }
  void end(Trace, const Outcome&) override {}
  Coverage coverage() const override { return {}; }
};

// Offers everything, and notes what it is asked.
class Everything final
    : public StrategyWith<KnowsStates, WantsRest, WantsHeap, LearnsContexts, CanRestart,
                          HasPartners, HasStrata, HasFirstPart, ShowsProgress, IgnoresOperations> {
 public:
  explicit Everything(Calls& calls) : calls_(calls) {}

  bool begin() override { return true; }
  std::size_t choose(const ChoicePoint&) override { return 0; }
  void end(Trace, const Outcome&) override {}
  Coverage coverage() const override { return {}; }

  bool visit(const State&) override {
    calls_.emplace_back("visit");
    return false;
  }
  const SavedState* origin() const override { return &saved_; }
  void left(Trace) override { calls_.emplace_back("left"); }
  void used_heap(HeapTrace) override { calls_.emplace_back("used_heap"); }
  CallContexts& contexts() override { return contexts_; }
  void called_from(std::span<const ContextId>, std::span<const ContextId>) override {
    calls_.emplace_back("called_from");
  }
  const PredecessorSets& sets() const override { return sets_; }
  void restart() override { calls_.emplace_back("restart"); }
  std::unique_ptr<Strategy> partner() override { return nullptr; }
  bool counts() override { return true; }
  void leave() override {}
  std::vector<Stratum> strata() const override { return {{.cost = 3}}; }
  std::uint64_t first_part() const override { return 7; }
  std::string progress() const override { return "half"; }

 private:
  Calls& calls_;
  SavedState saved_;
  CallContexts contexts_{1};
  PredecessorSets sets_;
};

class Wrapper final : public StrategyWrapper {
 public:
  bool begin() override { return true; }
  std::size_t choose(const ChoicePoint&) override { return 0; }
  void end(Trace, const Outcome&) override {}
  Coverage coverage() const override { return {}; }

  using WrapperOf::add_member;
  void set_current(Strategy* strategy) { current_ = strategy; }
};

// --- What the compiler refuses ---

template <typename Capability>
concept IsForwarded = requires {
  sizeof(Forwarded<Capability>);
};

template <typename... Capability>
constexpr bool are_all_forwarded(CapabilityList<Capability...>) {
  return (IsForwarded<Capability> && ...) && (!std::is_abstract_v<Forwarded<Capability>> && ...);
}
static_assert(are_all_forwarded(AllCapabilities{}), "and with every function that they have");

class NobodyForwardsIt {};
static_assert(!IsForwarded<NobodyForwardsIt>, "a list with it makes no wrapper");

// --- What is passed on ---

// Everything that the world may ask during an execution.
void ask(const Strategy& strategy) {
  const TaskSet nobody;
  EXPECT_EQ(strategy.as<KnowsStates>()->visit({{}, nobody, no_task, {}, nullptr}), false);
  strategy.as<WantsRest>()->left({});
  strategy.as<WantsHeap>()->used_heap({});
  strategy.as<LearnsContexts>()->called_from({}, {});
}

TEST(Wrapper, OffersNothingThatItsMembersDoNot) {
  Wrapper wrapper;
  wrapper.add_member(std::make_unique<Plain>());
  EXPECT_EQ(wrapper.as<KnowsStates>(), nullptr);
  EXPECT_EQ(wrapper.as<WantsRest>(), nullptr);
  EXPECT_EQ(wrapper.as<WantsHeap>(), nullptr);
  EXPECT_EQ(wrapper.as<LearnsContexts>(), nullptr);
  EXPECT_EQ(wrapper.as<CanRestart>(), nullptr);
  EXPECT_EQ(wrapper.as<HasStrata>(), nullptr);
  EXPECT_EQ(wrapper.as<IgnoresOperations>(), nullptr);
  EXPECT_EQ(progress_of(wrapper), "");
  EXPECT_EQ(first_part_of(wrapper), 0u);
}

TEST(Wrapper, PassesEverythingOnToTheCurrentMember) {
  Calls calls;
  Wrapper wrapper;
  auto& everything = wrapper.add_member(std::make_unique<Everything>(calls));
  wrapper.set_current(&everything);
  ask(wrapper);
  EXPECT_EQ(calls, (Calls{"visit", "left", "used_heap", "called_from"}));
  EXPECT_EQ(wrapper.as<KnowsStates>()->origin(), everything.origin());
  EXPECT_TRUE(wrapper.as<KnowsStates>()->wants_fingerprints());
  EXPECT_EQ(&wrapper.as<LearnsContexts>()->contexts(), &everything.contexts());
  EXPECT_EQ(&wrapper.as<LearnsContexts>()->sets(), &everything.sets());
  EXPECT_EQ(progress_of(wrapper), "half");
  EXPECT_EQ(first_part_of(wrapper), 7u);
  EXPECT_EQ(strata_of(wrapper).size(), 1u);
  EXPECT_NE(wrapper.as<IgnoresOperations>(), nullptr);
}

TEST(Wrapper, TellsAMemberNothingOfTheExecutionsOfOthers) {
  Calls calls;
  Wrapper wrapper;
  wrapper.add_member(std::make_unique<Everything>(calls));
  auto& plain = wrapper.add_member(std::make_unique<Plain>());
  const TaskSet nobody;
  for (Strategy* current : {static_cast<Strategy*>(&plain), static_cast<Strategy*>(nullptr)}) {
    wrapper.set_current(current);
    EXPECT_TRUE(wrapper.as<KnowsStates>()->visit({{}, nobody, no_task, {}, nullptr}));
    EXPECT_EQ(wrapper.as<KnowsStates>()->origin(), nullptr);
    wrapper.as<WantsRest>()->left({});
    wrapper.as<WantsHeap>()->used_heap({});
    wrapper.as<LearnsContexts>()->called_from({}, {});
  }
  EXPECT_EQ(calls, Calls{});
}

TEST(Wrapper, RestartsOnlyIfAllItsMembersCan) {
  Calls calls;
  Wrapper wrapper;
  wrapper.add_member(std::make_unique<Everything>(calls));
  wrapper.add_member(std::make_unique<Everything>(calls));
  ASSERT_NE(wrapper.as<CanRestart>(), nullptr);
  wrapper.as<CanRestart>()->restart();
  EXPECT_EQ(calls, (Calls{"restart", "restart"}));
  EXPECT_EQ(strata_of(wrapper).size(), 2u) << "those of all members";
  wrapper.add_member(std::make_unique<Plain>());
  EXPECT_EQ(wrapper.as<CanRestart>(), nullptr);
  EXPECT_EQ(wrapper.as<IgnoresOperations>(), nullptr);
  EXPECT_NE(wrapper.as<WantsRest>(), nullptr);
}

TEST(Wrapper, WorksAlone) {
  Calls calls;
  Wrapper wrapper;
  auto& everything = wrapper.add_member(std::make_unique<Everything>(calls));
  EXPECT_NE(everything.as<HasPartners>(), nullptr);
  EXPECT_EQ(wrapper.as<HasPartners>(), nullptr);
}

// --- The strategies of the table ---

std::string offered_by(const std::string& specification) {
  const auto strategy = make_strategy(specification, 1);
  std::string text;
  const auto add = [&](bool is_offered, const char* name) {
    if (is_offered) text += (text.empty() ? "" : " ") + std::string(name);
  };
  add(strategy->as<KnowsStates>() != nullptr, "states");
  add(strategy->as<WantsRest>() != nullptr, "rest");
  add(strategy->as<WantsHeap>() != nullptr, "heap");
  add(strategy->as<LearnsContexts>() != nullptr, "contexts");
  add(strategy->as<CanRestart>() != nullptr, "restart");
  add(strategy->as<HasPartners>() != nullptr, "partners");
  add(strategy->as<HasPieces>() != nullptr, "pieces");
  add(strategy->as<HasStrata>() != nullptr, "strata");
  add(strategy->as<ShowsProgress>() != nullptr, "progress");
  add(strategy->as<IgnoresOperations>() == nullptr, "operations");
  return text;
}

TEST(Capabilities, AreTheseOfTheStrategies) {
  EXPECT_EQ(offered_by("mixed"), "pieces progress operations");
  EXPECT_EQ(offered_by("portfolio"), "rest heap pieces progress operations");
  EXPECT_EQ(offered_by("dfs"), "pieces progress operations");
  EXPECT_EQ(offered_by("pb"), "pieces progress operations");
  EXPECT_EQ(offered_by("pb:cache=yes"), "states partners strata progress");
  EXPECT_EQ(offered_by("dpor"), "rest heap pieces progress operations");
  EXPECT_EQ(offered_by("bpor"), "rest heap pieces operations");
  EXPECT_EQ(offered_by("bestfirst"), "rest heap restart pieces progress operations");
  EXPECT_EQ(offered_by("bestfirst:space=all"), "rest restart pieces progress operations");
  EXPECT_EQ(offered_by("bestfirst:priority=hapset"),
            "rest heap contexts restart progress operations");
  EXPECT_EQ(offered_by("hapset"), "rest heap contexts restart progress operations");
  EXPECT_EQ(offered_by("hapset:base=pb,prune=no"), "rest contexts restart progress operations");
  EXPECT_EQ(offered_by("hapset:learn=5"), "rest heap contexts restart progress operations");
  EXPECT_EQ(offered_by("random"), "restart pieces");
  EXPECT_EQ(offered_by("random:slow=yes"), "restart");
  EXPECT_EQ(offered_by("pos"), "restart pieces operations");
  EXPECT_EQ(offered_by("pct"), "restart pieces progress operations");
  EXPECT_EQ(offered_by("surw"), "restart pieces operations");
  EXPECT_EQ(offered_by("rff"), "restart pieces operations");
  EXPECT_EQ(offered_by("irs"), "pieces strata progress operations");
  EXPECT_EQ(offered_by("ses"), "states partners strata progress");
  EXPECT_EQ(offered_by("ss"), "states partners pieces strata progress");
  EXPECT_EQ(offered_by("ses+ss"), "states strata progress");
}

TEST(Capabilities, TheTableSaysWhatCallersWantToKnow) {
  for (const StrategyInfo& info : strategies()) {
    const std::string name(info.name);
    EXPECT_EQ(&strategy_info(name), &info);
    const std::set<std::string> without_end = {"mixed", "portfolio", "random", "irs",      "pct",
                                               "pos",   "surw",      "rff",    "coverage", "ss"};
    EXPECT_EQ(info.ends_by_itself, !without_end.contains(name)) << name;
    const bool learns = make_strategy(name, 1)->as<LearnsContexts>() != nullptr;
    EXPECT_EQ(info.learns_statements, learns) << name;
  }
  EXPECT_TRUE(strategy_info("ses:explorer=rtc").ends_by_itself);
  EXPECT_TRUE(calls_of_statements("bestfirst:priority=hapset+pb").has_value());
  EXPECT_FALSE(calls_of_statements("bestfirst:priority=pb").has_value());
}

}  // namespace
}  // namespace ricercar::inline strategy
