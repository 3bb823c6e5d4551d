// Steered by the code that actions run through: what each action covered before says what it is
// worth now. (V. Anand, Dara The Explorer: Coverage Based Exploration for Model Checking of
// Distributed Systems in Go, 2020, section 4.3.1.)
//
// At every choice, the first of these that there is:
// 1. the action that raises the score of all that was ever covered most,
// 2. an action that was never taken,
// 3. the action that raises the score of this execution most, of those after which no execution was
//    the same so far,
// 4. any action.
// Where several are equally good, one of them is drawn. The first execution is the recorded one, if
// there is any, so that what its actions cover is the beginning of the history. Without one, it is
// drawn altogether, unless there is something new in it.
//
// Beyond the thesis: what is slow is not available (strategy/slow_parts.h), and what goes wrong has
// its moments (strategy/rare_moments.h), more often behind actions that run through seldom blocks.
#include <algorithm>
#include <bit>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "strategy/kept.h"
#include "strategy/rare_moments.h"
#include "strategy/registry.h"
#include "strategy/slow_parts.h"

namespace ricercar::inline strategy {
namespace {

enum class Score { unique, frequency, node_frequency };

Score score_of(const std::string& name) {
  if (name == "unique") return Score::unique;
  if (name == "frequency") return Score::frequency;
  if (name == "node-frequency") return Score::node_frequency;
  throw UsageError("the parameter score of coverage is unique, frequency or node-frequency, not '" +
                   name + "'");
}

// What is known of all blocks, over all executions.
class BlockTable {
 public:
  explicit BlockTable(Score score) : score_(score) {}

  void add(const BlockCount& covered, std::uint32_t node) {
    if (blocks_.size() <= covered.block) blocks_.resize(covered.block + 1);
    Block& block = blocks_[covered.block];
    block.count += covered.times;
    block.nodes |= std::uint64_t{1} << node % 64;
    block.execution = execution_;
  }
  void begin_execution() { ++execution_; }
  bool is_in_this_execution(std::uint32_t block) const {
    return blocks_[block].execution == execution_;
  }
  std::uint64_t count(std::uint32_t block) const { return blocks_[block].count; }
  std::size_t covered() const {
    return static_cast<std::size_t>(std::count_if(
        blocks_.begin(), blocks_.end(), [](const Block& block) { return block.count > 0; }));
  }

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(plain(blocks_), execution_);
  }

  // The score of a block as it is, and what it would be if `node` ran through it once more.
  double worth(std::uint32_t block) const { return worth_of(blocks_[block]); }
  double gain(std::uint32_t block, std::uint32_t node) const {
    Block next = blocks_[block];
    ++next.count;
    next.nodes |= std::uint64_t{1} << node % 64;
    return worth_of(next) - worth(block);
  }

 private:
  struct Block {
    std::uint64_t count = 0;
    std::uint64_t nodes = 0;      // as bits
    std::uint64_t execution = 0;  // the last one in which it was run through
  };

  double worth_of(const Block& block) const {
    if (block.count == 0) return 0;
    const auto count = static_cast<double>(block.count);
    switch (score_) {
      case Score::unique:
        return 1;
      case Score::frequency:
        return 1 / count;
      case Score::node_frequency:
        break;
    }
    return std::popcount(block.nodes) / count;
  }

  const Score score_;
  std::vector<Block> blocks_;
  std::uint64_t execution_ = 1;
};

class CoverageStrategy final
    : public Kept<CoverageStrategy,
                  StrategyWith<CanRestart, ShowsProgress, LearnsBlocks, CanBeKept>> {
 public:
  CoverageStrategy(std::uint64_t seed, Score score, std::span<const std::uint16_t> recorded)
      : base_(mix64(seed)),
        random_(base_),
        blocks_(score),
        recorded_(recorded.begin(), recorded.end()) {}

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(blocks_, moments_, history_, paths_, executions_, followed_, has_left_);
  }

  bool begin() override {
    random_ = Random(base_ + executions_++);
    blocks_.begin_execution();
    moments_.begin();
    path_ = 0;
    kind_of_last_ = 0;
    keys_.clear();
    return true;
  }

  void actions(std::span<const std::uint64_t> keys) override {
    keys_.assign(keys.begin(), keys.end());
  }

  std::size_t choose(const ChoicePoint& point) override {
    const std::size_t recorded = next_recorded(point);
    if (point.kind == ChoiceKind::value) {
      return recorded != none ? recorded : moments_.target(point, random_);
    }
    if (keys_.size() != point.options.size()) keys_ = keys_of(point.options);
    const std::uint32_t rare = moments_.drawn(point, random_, std::exchange(kind_of_last_, 0));
    const std::size_t chosen = recorded != none            ? recorded
                               : rare != RareMoments::none ? rare
                                                           : best(point);
    path_ = behind(path_, keys_[chosen]);
    if (paths_.size() < most_paths) paths_.insert(path_);
    history_.try_emplace(keys_[chosen]);
    keys_.clear();
    return chosen;
  }

  void covered(std::span<const std::uint64_t> keys, std::uint32_t node,
               std::span<const BlockCount> blocks) override {
    for (const BlockCount& each : blocks) blocks_.add(each, node);
    kind_of_last_ = kind_of(blocks);
    for (const std::uint64_t key : keys) history_[key].add(node, blocks);
  }

  void end(Trace, const Outcome&) override { moments_.end(); }
  void restart() override {}

  Coverage coverage() const override {
    const std::size_t covered = blocks_.covered();
    const std::string what = covered == 0
                                 ? "no block was reported: compile with `ricercar c++ --coverage`"
                                 : "blocks covered: " + std::to_string(covered);
    return {false, "executions: " + std::to_string(executions_) + words_of_recorded() +
                       ", actions: " + std::to_string(history_.size()) + ", " + what};
  }
  std::string progress() const override { return std::to_string(blocks_.covered()) + " blocks"; }

 private:
  static constexpr std::size_t most_paths = 1'000'000;

  // What the recorded execution did here; `none`: it is over, or was another one.
  std::size_t next_recorded(const ChoicePoint& point) {
    if (executions_ != 1 || followed_ == recorded_.size() || has_left_) return none;
    const std::uint16_t decision = recorded_[followed_];
    const bool is_value = point.kind == ChoiceKind::value;
    has_left_ =
        is_value ? decision >= point.options.size() : !point.options.contains(task_id(decision));
    if (has_left_) return none;
    ++followed_;
    return is_value ? decision : point.options.position(task_id(decision));
  }

  std::string words_of_recorded() const {
    if (recorded_.empty()) return "";
    const std::string all = std::to_string(recorded_.size());
    if (followed_ == recorded_.size()) return ", the first one as recorded (" + all + " decisions)";
    return ", of the recorded one only " + std::to_string(followed_) + " of " + all +
           " decisions were possible";
  }

  // What goes wrong comes more often behind what is done seldom (strategy/rare_moments.h): the
  // block that was run through least often says what an action has done. 0: it has run through
  // none.
  std::uint64_t kind_of(std::span<const BlockCount> blocks) const {
    const auto rarest = std::min_element(blocks.begin(), blocks.end(),
                                         [this](const BlockCount& a, const BlockCount& b) {
                                           return blocks_.count(a.block) < blocks_.count(b.block);
                                         });
    return rarest == blocks.end() ? 0 : mix64(rarest->block + 1);
  }

  // What an action has run through.
  struct History {
    std::uint32_t node = 0;
    std::vector<std::uint32_t> blocks;  // in ascending order

    template <typename Archive>
    void serialize(Archive& archive) {
      archive(node, blocks);
    }
    void add(std::uint32_t by, std::span<const BlockCount> covered) {
      node = by;
      for (const BlockCount& each : covered) {
        const auto place = std::lower_bound(blocks.begin(), blocks.end(), each.block);
        if (place == blocks.end() || *place != each.block) blocks.insert(place, each.block);
      }
    }
  };

  // For a world that has no better ones.
  static std::vector<std::uint64_t> keys_of(const OptionList& options) {
    std::vector<std::uint64_t> keys;
    options.for_each([&](const Option& option, std::uint32_t) {
      const Operation& next = *option.operation;
      keys.push_back(
          behind(behind(index(option.task), next.site), static_cast<std::uint64_t>(next.kind)));
    });
    return keys;
  }

  static std::uint64_t behind(std::uint64_t before, std::uint64_t key) {
    return mix64(before * 0x9e3779b97f4a7c15 + key);
  }

  // Of the actions that are available.
  std::size_t best(const ChoicePoint& point) {
    is_available_.clear();
    point.options.for_each([&](const Option& option, std::uint32_t i) {
      is_available_.push_back(moments_.is_available(point, option.task, i) ? 1 : 0);
    });
    const std::size_t rising = highest([this](std::uint64_t key) { return total_gain(key); });
    if (rising != none) return rising;
    const std::size_t unseen =
        highest([this](std::uint64_t key) { return history_.contains(key) ? 0.0 : 1.0; });
    if (unseen != none) return unseen;
    const std::size_t on_new_path = highest([this](std::uint64_t key) {
      return paths_.contains(behind(path_, key)) ? 0.0 : gain_of_execution(key);
    });
    if (on_new_path != none) return on_new_path;
    return moments_.any_available(point, random_);
  }

  double total_gain(std::uint64_t key) const {
    const auto found = history_.find(key);
    if (found == history_.end()) return 0;
    double gain = 0;
    for (const std::uint32_t block : found->second.blocks) {
      gain += blocks_.gain(block, found->second.node);
    }
    return gain;
  }

  double gain_of_execution(std::uint64_t key) const {
    const auto found = history_.find(key);
    if (found == history_.end()) return 0;
    double gain = 0;
    for (const std::uint32_t block : found->second.blocks) {
      if (!blocks_.is_in_this_execution(block)) gain += blocks_.worth(block);
    }
    return gain;
  }

  // The option with the highest value above 0, drawn from those that are equal.
  template <typename Value>
  std::size_t highest(Value value) {
    constexpr double least = 1e-12;  // sums of fractions are not exact
    std::size_t best = none;
    double most = least;
    std::uint32_t equal = 0;
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      if (is_available_[i] == 0) continue;
      const double each = value(keys_[i]);
      if (each <= least || each < most) continue;
      equal = each > most ? 1 : equal + 1;
      most = each;
      if (random_.below(equal) == 0) best = i;
    }
    return best;
  }

  static constexpr std::size_t none = ~std::size_t{0};

  const std::uint64_t base_;
  Random random_;
  BlockTable blocks_;
  RareMoments moments_{SlowParts()};
  std::unordered_map<std::uint64_t, History> history_;  // by action
  std::unordered_set<std::uint64_t> paths_;             // beginnings of executions
  std::vector<std::uint64_t> keys_;                     // of the options
  std::vector<std::uint8_t> is_available_;              // likewise: neither rare nor slow
  std::uint64_t path_ = 0;                              // this execution so far
  std::uint64_t kind_of_last_ = 0;                      // what the last action has done; 0: unknown
  std::uint64_t executions_ = 0;
  const std::vector<std::uint16_t> recorded_;  // decisions of the first execution; empty: none
  std::size_t followed_ = 0;                   // so many of them
  bool has_left_ = false;
};

}  // namespace

std::unique_ptr<Strategy> make_coverage(const Parameters& parameters) {
  return std::make_unique<CoverageStrategy>(parameters.seed, score_of(parameters.text("score")),
                                            parameters.resources.first_execution);
}

}  // namespace ricercar::inline strategy
