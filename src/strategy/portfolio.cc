// The default: a portfolio whose budget moves. Two members cover the executions systematically, one
// of each trace (dpor) and fewest preemptions first (pb); one runs only what shows statements in an
// order that was never seen, and soon ends (hapset); the others sample, each with another idea of
// which orders are worth more. Members take turns, first of one execution each, later of some in a
// row (strategy/portfolio_rounds.h); they share nothing, so each keeps its own guarantee. A part of
// the turns moves towards those members that still show something new (strategy/portfolio_turns.h):
// a Mazurkiewicz trace that no execution of the search had before.
//
// When one of those that cover has run everything, nothing is left for the others either, and the
// search is over; but if the program has code that nobody sees, dpor's word is not enough.
//
// `mixed`, the default before, is a portfolio whose budget stays where it is: one member that
// covers, fewest preemptions first, because most bugs need few (Musuvathi and Qadeer, PLDI 2007),
// and others that sample, because some bugs lie deep in programs that are too large to be covered.
//
// Statements are known to hapset without the calls that led there: so it works in every world, and
// no step of any execution costs more because of it.
#include <algorithm>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/flat_map.h"
#include "base/random.h"
#include "model/trace_hash.h"
#include "strategy/kept.h"
#include "strategy/portfolio_rounds.h"
#include "strategy/portfolio_turns.h"
#include "strategy/registry.h"
#include "strategy/strategies.h"

namespace ricercar::inline strategy {
namespace {

struct PortfolioMember {
  std::string_view specification;
  double share;           // of the turns, in the beginning; half of it stays
  double share_in_large;  // the same, where executions are long or have many tasks
};

// The bound of pb is larger than any execution has preemptions.
constexpr PortfolioMember moving_members[] = {
    {"dpor", 10, 1},
    {"pb:bound=1000000", 1, 0.4},
    {"rff", 3.5, 3.5},
    {"random", 1.5, 1},
    {"surw", 1.5, 5},
    {"pos", 1, 0.7},
    {"hapset:prune=yes,context=0", 1, 0.4},
    {"pct:depth=2", 0.3, 0.1},
    {"pct:depth=3", 0.3, 0.3},
    {"pct:depth=5", 0.3, 1},
};
constexpr PortfolioMember fixed_members[] = {
    {"pb:bound=1000000", 4, 4}, {"random", 3, 3},      {"pct:depth=2", 1, 1},
    {"pct:depth=3", 1, 1},      {"pct:depth=4", 1, 1}, {"pct:depth=5", 1, 1},
    {"pct:depth=10", 1, 1},
};

constexpr std::size_t no_member = ~std::size_t{0};

struct PortfolioPlan {
  std::span<const PortfolioMember> members;
  std::size_t by_trace;        // those that cover
  std::size_t by_preemptions;  // likewise
  bool moves;                  // turns go to those that show something new
  std::uint64_t first_turns;   // of the first member: of a small program they are worth the most
  const char* other;           // what the executions of all others are called
  const char* others;
};
constexpr PortfolioPlan moving_plan = {moving_members,     0, 1, true, 3, " other execution",
                                       " other executions"};
constexpr PortfolioPlan fixed_plan = {fixed_members, no_member, 0, false, 0,
                                      " sampled",    " sampled"};

// Nobody comes to the end of all orders of an execution that has so many tasks, or is so long, and
// one after the other is the wrong way to go through them: they differ in the last few steps only.
// Then those that sample have the turns, and most of all those that learn what the program does.
constexpr std::uint32_t many_tasks = 16;
constexpr std::size_t long_execution = 256;  // steps

std::vector<double> portfolio_shares(const PortfolioPlan& plan, double PortfolioMember::*share) {
  std::vector<double> shares;
  for (const PortfolioMember& member : plan.members) shares.push_back(member.*share);
  return shares;
}

// What an execution has shown.
struct Noted {
  std::uint64_t trace;
  std::uint64_t steps;
  std::uint32_t member;
  bool is_large;
};

class PortfolioStrategy final : public KeptWrapper<PortfolioStrategy>, public HasPieces {
 public:
  PortfolioStrategy(const PortfolioPlan& plan, std::uint64_t seed, bool has_unseen_code)
      : plan_(plan),
        seed_(seed),
        has_unseen_code_(has_unseen_code),
        turns_(new_turns()),
        is_ready_(size()),
        executions_(size()),
        hand_out_(size()),
        states_(size()) {
    for (std::size_t i = 0; i < size(); ++i) add_member(new_member(i));
    capabilities_.remove<LearnsContexts>();
    current_ = members_.front().get();
    offer_to_be_kept();
    if (as<CanBeKept>() != nullptr) capabilities_.add<HasPieces>(this);
  }

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(turns_, first_left_, rounds_, turn_, is_ready_, executions_, is_over_, shown_);
  }

  // A member that covers begins its next execution as soon as the last one is over: so the search
  // ends with the last execution that there is.
  bool begin() override {
    if (covers(turn_)) prepare(turn_);
    while (!is_over_) {
      if (!next_turn()) return false;
      if (prepare(turn_)) break;
    }
    if (is_over_) return false;
    begins_piece_ = take_turn();
    current_ = members_[turn_].get();
    is_ready_[turn_] = false;
    left_ = 0;
    return true;
  }

  std::size_t choose(const ChoicePoint& point) override { return current_->choose(point); }

  void left(Trace pending) override {
    left_ = pending.size();
    Forwarded<WantsRest>::left(pending);
  }

  void end(Trace trace, const Outcome& outcome) override {
    if (auto* learns = current_->as<LearnsContexts>()) tell_calls(*learns, trace.size());
    current_->end(trace, outcome);
    note({plan_.moves ? hash_.of(trace) | 1 : 0, trace.size(), static_cast<std::uint32_t>(turn_),
          is_large(trace)});
  }

  Coverage coverage() const override {
    std::string text;
    std::uint64_t others = all_executions();
    for (std::size_t i = 0; i < size(); ++i) {
      if (!covers(i)) continue;
      const Coverage covered = members_[i]->coverage();
      if (covered.complete && is_all(i))
        return {true, covered.text + and_others(others - executions_[i])};
      const bool is_told = i == first_that_covers() || executions_[i] != 0;
      if (is_told) text += (text.empty() ? "" : "; ") + covered.text;
      others -= executions_[i];
    }
    return {false, text + and_others(others)};
  }

  std::string progress() const override {
    const std::size_t first = first_that_covers();
    return progress_of(*members_[turns_.is_left(first) ? first : plan_.by_preemptions]);
  }

  // --- HasPieces: the first turns, or those of one member in one round, with all of its state ---

  bool begins_piece() const override { return begins_piece_; }
  bool is_first_piece() const override { return is_first_; }

  void take(std::string_view piece) override {
    ByteReader reader(piece);
    forget();
    is_piece_ = true;
    single_left_ = reader.number();
    is_first_ = single_left_ == 0;
    if (!is_first_) {
      first_left_ = 0;
      turn_ = read_member(reader);
    }
    current_ = members_[turn_].get();
  }

  PieceEnd give() override {
    ByteWriter writer;
    writer.plain(is_over_);
    writer.plain(is_first_);
    if (is_first_) write_turns(writer);
    for (std::size_t i = 0; i < size(); ++i) {
      if (is_first_ || i == turn_) write_member(writer, i, kept_bytes_of(i));
    }
    writer.list(std::span<const Noted>(noted_));
    return {writer.take(), {}, false};
  }

  std::optional<std::string> next_piece(std::uint64_t) override {
    ByteWriter writer;
    if (!std::exchange(is_begun_, true)) {
      writer.number(0);
      return writer.take();
    }
    const auto part = hand_out_.next([this](std::size_t i) { return turns_.is_left(i); });
    if (!part) return std::nullopt;
    writer.number(part->turns);
    write_member(writer, part->member, states_[part->member]);
    return writer.take();
  }

  void merge(std::string_view shown) override {
    ByteReader reader(shown);
    is_over_ = reader.plain<bool>();
    is_first_ = reader.plain<bool>();
    if (is_first_) read_turns(reader);
    for (std::size_t i = is_first_ ? 0 : size() - 1; i < size(); ++i) turn_ = read_member(reader);
    for (const Noted& each : reader.list<Noted>()) note(each, !is_first_);
    const auto is_left = [this](std::size_t i) { return turns_.is_left(i); };
    if (is_first_) {
      hand_out_.begin(turns_, all_executions());
    } else {
      hand_out_.bring_back(turn_, turns_, all_executions(), is_left);
    }
  }

  bool is_over() const override { return is_over_; }

 private:
  std::size_t size() const { return plan_.members.size(); }
  bool covers(std::size_t member) const {
    return member == plan_.by_trace || member == plan_.by_preemptions;
  }
  std::size_t first_that_covers() const {
    return plan_.by_trace != no_member ? plan_.by_trace : plan_.by_preemptions;
  }

  // What it has covered is everything. What commutes is known of the code that is seen only.
  bool is_all(std::size_t member) const {
    return member == plan_.by_preemptions || (member == plan_.by_trace && !has_unseen_code_);
  }

  std::unique_ptr<Strategy> new_member(std::size_t i) const {
    return make_strategy(plan_.members[i].specification, mix64(seed_ + i));
  }
  PortfolioTurns new_turns() const {
    return PortfolioTurns(portfolio_shares(plan_, &PortfolioMember::share), plan_.first_turns);
  }

  std::uint64_t all_executions() const {
    return std::accumulate(executions_.begin(), executions_.end(), std::uint64_t{0});
  }

  // --- Turns ---

  // False: the piece is over.
  bool next_turn() {
    if (first_left_ > 0) {
      turn_ = turns_.next();
      return true;
    }
    if (is_piece_) return single_left_ > 0 && turns_.is_left(turn_);
    turn_ = rounds_.member(turns_, size(), all_executions(),
                           [this](std::size_t i) { return turns_.is_left(i); });
    return true;
  }

  // True: it is the first one of a piece.
  bool take_turn() {
    is_first_ = first_left_ > 0;
    if (is_first_) return first_left_-- == first_portfolio_turns;
    if (!is_piece_) return rounds_.take_turn();
    --single_left_;
    return noted_.empty();
  }

  // False: it has nothing left.
  bool prepare(std::size_t member) {
    if (is_ready_[member] != 0 || !turns_.is_left(member)) return is_ready_[member] != 0;
    is_ready_[member] = members_[member]->begin();
    if (is_ready_[member] != 0) return true;
    turns_.retire(member);
    is_over_ = is_all(member) && members_[member]->coverage().complete;
    return false;
  }

  void note(const Noted& noted, bool learns = true) {
    if (is_piece_) noted_.push_back(noted);
    ++executions_[noted.member];
    if (!plan_.moves) return;
    bool& is_known = shown_.at(noted.trace, false);
    const bool is_new = !std::exchange(is_known, true);
    if (!learns) return;
    if (noted.is_large)
      turns_.set_shares(portfolio_shares(plan_, &PortfolioMember::share_in_large));
    turns_.learn(noted.member, noted.steps, is_new);
  }

  static bool is_large(Trace trace) {
    return trace.size() > long_execution ||
           std::any_of(trace.begin(), trace.end(),
                       [](const Step& step) { return index(step.task) >= many_tasks; });
  }

  // As if everything were called from the outermost function.
  void tell_calls(LearnsContexts& learns, std::size_t steps) {
    calls_.assign(steps + left_, CallContexts::outermost);
    const std::span<const ContextId> all = calls_;
    learns.called_from(all.first(steps), all.subspan(steps));
  }

  std::string and_others(std::uint64_t executions) const {
    if (executions == 0) return "";
    return "; and " + std::to_string(executions) + (executions == 1 ? plan_.other : plan_.others);
  }

  // --- Pieces ---

  // Of the members: each of them is made anew when its turn comes.
  void forget() {
    for (std::size_t i = 0; i < size(); ++i) members_[i] = new_member(i);
    turns_ = new_turns();
    first_left_ = first_portfolio_turns;
    turn_ = 0;
    is_ready_.assign(size(), false);
    executions_.assign(size(), 0);
    is_over_ = false;
    shown_ = {};
    noted_.clear();
  }

  static std::string bytes_of(const KeptOut& out) {
    return {out.bytes().data(), out.bytes().size()};
  }
  void write_turns(ByteWriter& writer) const {
    KeptOut out;
    out(turns_);
    writer.text(bytes_of(out));
  }
  void read_turns(ByteReader& reader) {
    KeptIn in(reader.text());
    in(turns_);
  }
  std::string kept_bytes_of(std::size_t member) const {
    KeptOut out;
    members_[member]->as<CanBeKept>()->save(out);
    return bytes_of(out);
  }

  void write_member(ByteWriter& writer, std::size_t member, std::string_view state) const {
    writer.number(member);
    writer.plain(is_ready_[member]);
    writer.plain(turns_.is_left(member));
    writer.text(state);
  }
  std::size_t read_member(ByteReader& reader) {
    const std::size_t member = reader.number();
    is_ready_[member] = reader.plain<std::uint8_t>();
    if (!reader.plain<bool>()) turns_.retire(member);
    const std::string_view state = reader.text();
    states_[member] = state;
    if (!is_piece_ && !covers(member)) return member;
    members_[member] = new_member(member);
    KeptIn in(state);
    members_[member]->as<CanBeKept>()->load(in);
    return member;
  }

  const PortfolioPlan& plan_;
  const std::uint64_t seed_;
  const bool has_unseen_code_;
  PortfolioTurns turns_;
  std::uint64_t first_left_ = first_portfolio_turns;
  PortfolioRounds rounds_;
  std::size_t turn_ = 0;
  std::vector<std::uint8_t> is_ready_;  // it has begun an execution that did not run yet
  std::vector<std::uint64_t> executions_;
  bool is_over_ = false;
  TraceHash hash_;
  FlatMap<bool> shown_;           // traces
  std::size_t left_ = 0;          // tasks that have not ended, in the execution that ends
  std::vector<ContextId> calls_;  // until the end of an execution

  bool begins_piece_ = false;
  bool is_first_ = true;           // the piece of the first turns
  bool is_piece_ = false;          // it searches single pieces
  std::uint64_t single_left_ = 0;  // turns of the member, in one that is not the first
  std::vector<Noted> noted_;       // of a single piece
  bool is_begun_ = false;          // others search
  PortfolioHandOut hand_out_;
  std::vector<std::string> states_;  // of the members, as they came back
};

}  // namespace

std::unique_ptr<Strategy> make_portfolio(const Parameters& parameters) {
  return std::make_unique<PortfolioStrategy>(moving_plan, parameters.seed,
                                             parameters.resources.has_unseen_code);
}

std::unique_ptr<Strategy> make_fixed_portfolio(const Parameters& parameters) {
  return std::make_unique<PortfolioStrategy>(fixed_plan, parameters.seed,
                                             parameters.resources.has_unseen_code);
}

}  // namespace ricercar::inline strategy
