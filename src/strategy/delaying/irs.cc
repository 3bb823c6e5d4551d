// `irs`: iterative random search, a baseline of the delaying-explorers paper. Round i takes
// 100 + 3^i random samples and cuts each after 100 * i steps, so that short executions are not
// starved by long ones.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/random.h"
#include "strategy/kept.h"
#include "strategy/registry.h"

namespace ricercar::inline strategy {
namespace {

constexpr std::uint64_t depth_step = 100;
constexpr std::uint64_t least_samples = 100;
constexpr double base = 3;

std::uint64_t samples_in(std::uint64_t round) {
  const double more = std::pow(base, static_cast<double>(round));
  return least_samples + static_cast<std::uint64_t>(std::min(more, 1e15));
}

// A round is cut into pieces of so many samples.
std::uint64_t samples_in_piece(std::uint64_t round) {
  return std::clamp<std::uint64_t>(samples_in(round) / 16, 32, 1024);
}

// What comes next: a sample of a round, both counted from the first one.
struct IrsPlace {
  std::uint64_t round = 1;
  std::uint64_t sample = 0;

  // The first one of the next round behind the last one of a round.
  void to_next_round() {
    if (sample == samples_in(round)) *this = {round + 1, 0};
  }
  std::uint64_t left_in_piece() const {
    const std::uint64_t size = samples_in_piece(round);
    return std::min(size - sample % size, samples_in(round) - sample);
  }
};

class IterativeRandom final
    : public Kept<IterativeRandom, StrategyWith<HasStrata, ShowsProgress, HasPieces, CanBeKept>> {
 public:
  explicit IterativeRandom(std::uint64_t seed) : seed_(mix64(seed)) { next_round(); }

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(executions_, plain(next_), plain(strata_));
    round_began_ = now_seconds() - strata_.back().seconds;
  }

  bool begin() override {
    if (is_piece_ && left_ == 0) return false;
    next_.to_next_round();
    while (strata_.size() < next_.round) next_round();
    begins_piece_ =
        is_piece_ ? executions_ == 0 : next_.sample % samples_in_piece(next_.round) == 0;
    random_ = Random(mix64(seed_ + next_.round) + next_.sample);
    return true;
  }

  std::size_t choose(const ChoicePoint& point) override {
    if (point.step >= next_.round * depth_step) return cut;
    return random_.below(point.options.size());
  }

  void end(Trace, const Outcome&) override {
    ++next_.sample;
    --left_;
    count(1);
  }

  Coverage coverage() const override {
    return {false, "random executions of at most " + std::to_string(strata_.back().cost) +
                       " steps: " + std::to_string(executions_) + ", no promise"};
  }
  std::string progress() const override { return std::to_string(strata_.back().cost) + " steps"; }
  std::vector<Stratum> strata() const override { return strata_; }

  // --- HasPieces ---

  bool begins_piece() const override { return begins_piece_; }
  bool is_first_piece() const override {
    return next_.round == 1 && next_.sample < samples_in_piece(1);
  }

  void take(std::string_view piece) override {
    ByteReader reader(piece);
    next_ = reader.plain<IrsPlace>();
    left_ = reader.number();
    executions_ = 0;
    is_piece_ = true;
  }
  PieceEnd give() override {
    ByteWriter writer;
    writer.number(next_.round);
    writer.number(executions_);
    return {writer.take(), {}, left_ == 0};
  }
  std::optional<std::string> next_piece(std::uint64_t most) override {
    if (most != 0 && handed_out_ >= most) return std::nullopt;
    next_.to_next_round();
    std::uint64_t samples = next_.left_in_piece();
    if (most != 0) samples = std::min(samples, most - handed_out_);
    ByteWriter writer;
    writer.plain(next_);
    writer.number(samples);
    handed_out_ += samples;
    next_.sample += samples;
    return writer.take();
  }
  void merge(std::string_view shown) override {
    ByteReader reader(shown);
    for (const std::uint64_t round = reader.number(); strata_.size() < round;) next_round();
    count(reader.number());
  }
  bool pass_over(std::string_view) override { return true; }

 private:
  void count(std::uint64_t executions) {
    strata_.back().samples += executions;
    strata_.back().seconds = now_seconds() - round_began_;
    executions_ += executions;
  }

  void next_round() {
    const std::uint64_t depth = (strata_.size() + 1) * depth_step;
    strata_.push_back({.unit = Stratum::Unit::steps, .cost = depth});
    round_began_ = now_seconds();
  }

  const std::uint64_t seed_;
  Random random_{0};
  IrsPlace next_;
  std::uint64_t executions_ = 0;
  std::vector<Stratum> strata_;
  double round_began_ = 0;
  bool begins_piece_ = false;
  bool is_piece_ = false;         // it searches single pieces
  std::uint64_t left_ = 0;        // samples of this one
  std::uint64_t handed_out_ = 0;  // samples
};

}  // namespace

std::unique_ptr<Strategy> make_irs(const Parameters& parameters) {
  return std::make_unique<IterativeRandom>(parameters.seed);
}

}  // namespace ricercar::inline strategy
