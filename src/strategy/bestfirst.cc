// Best-first search (Coons, Burckhardt, Musuvathi, GAMBIT: Effective Unit Testing for Concurrency
// Libraries, PPoPP 2010). An execution that has been run tells which other ones there are: those
// that differ from it in one decision and behave by default afterwards. They wait in the fringe, by
// priority, and among equals the newest one comes first. Nothing is run twice, and in the end
// everything in the space has been run, so a priority costs no guarantee.
//
// The spaces: `all` executions; those with a bounded number of preemptions, `pb=N`; and two that
// are reduced. In `dpor` a decision is added only if it reverses a race that none of the decisions
// known at that point would reverse (source sets). In `persistent`, the paper's, it is the task of
// the race, or everybody if that one cannot run there. Both have sleep sets, see
// sleeping_siblings.h: an execution that has nothing to run but what sleeps is cut as redundant.
#include "base/error.h"
#include "strategy/bestfirst_pieces.h"
#include "strategy/candidate_facts.h"
#include "strategy/estimate.h"
#include "strategy/kept.h"
#include "strategy/known_executions.h"
#include "strategy/search_space.h"
#include "strategy/sleeping_siblings.h"
#include "strategy/strategies.h"
#include "strategy/wanted_decisions.h"

namespace ricercar::inline strategy {
namespace {

class BestFirstStrategy final
    : public Kept<BestFirstStrategy, StrategyWith<WantsRest, WantsHeap, LearnsContexts, CanRestart,
                                                  ShowsProgress, HasPieces, CanBeKept>>,
      public ExecutionPlan {
 public:
  explicit BestFirstStrategy(const Parameters& parameters)
      : space_(search_space(parameters.text("space"))),
        priorities_(parameters.text("priority"), parameters.seed, parameters.resources.priorities),
        statements_(priorities_.statements()),
        analyses_(space_.reduces || priorities_.need_order()),
        known_(space_.reduces, statements_.get(), parameters.resources),
        measures_(parameters.flag("measure")) {
    if (!space_.reduces) capabilities_.remove<WantsHeap>();
    if (!statements_) capabilities_.remove<LearnsContexts>();
    if (statements_) events_.emplace(*statements_);
    if (!priorities_.can_be_kept()) capabilities_.remove<CanBeKept>();
    if (measures_ || priorities_.why_alone() != nullptr) capabilities_.remove<HasPieces>();
  }

  template <typename Archive>
  void serialize(Archive& archive) {
    if (statements_) archive(*statements_);
    archive(priorities_, known_, executions_, redundant_, explored_, finished_, races_);
  }

  // What an earlier search has learned.
  void learn(const LearnedSets& learned) {
    if (statements_) ricercar::give(learned, statements_->sets());
  }

  bool begin() override {
    if (finished_) return false;
    points_.clear();
    known_.begin();
    sleep_.begin();
    is_redundant_ = false;
    if (is_piece_) begin_run();
    return true;
  }

  std::size_t choose(const ChoicePoint& point) override {
    if (space_.reduces && !sleep_.follow(point)) is_redundant_ = true;
    if (is_redundant_ && point.kind == ChoiceKind::schedule) return cut;
    const std::uint64_t asleep = sleep_.mask();
    const std::uint32_t first = default_option(point);
    std::uint16_t by_default = choice_of(point, first);
    const std::uint32_t option = known_.differs_at(points_.size() + 1)
                                     ? deviation(point, by_default)
                                     : go_on(point, first, by_default);
    if (option == no_index) is_redundant_ = true;
    // What another value would lead to is redundant as well.
    if (is_redundant_) return option == no_index ? cut : option;
    DefaultPoint& level = points_.push(point, choice_of(point, option));
    level.by_default = by_default;
    level.asleep = asleep;
    return option;
  }

  void left(Trace pending) override { races_.set_left(pending); }
  void used_heap(HeapTrace heap) override {
    races_.set_heap(heap);
    heap_ = heap;
  }
  CallContexts& contexts() override { return statements_->contexts(); }
  void called_from(std::span<const ContextId> steps, std::span<const ContextId> left) override {
    contexts_ = steps;
    left_contexts_ = left;
  }
  const PredecessorSets& sets() const override { return statements_->sets(); }

  void restart() override {
    known_.restart();
    races_.restart();
    explored_ = 0;
    executions_ = 0;
    redundant_ = 0;
    finished_ = false;
    if (ahead_) {
      ahead_->forget();
      ahead_->note_turn();
    }
  }

  void end(Trace trace, const Outcome& outcome) override {
    ++executions_;
    if (!known_.has_arrived() && !trace.empty()) throw Nondeterminism(trace.size(), 2, 1);
    priorities_.begin(trace, races_.left());
    trace_ = trace;
    if (space_.reduces && !sleep_.follow_to_end(trace, heap_)) is_redundant_ = true;
    if (is_redundant_) ++redundant_;
    if (statements_) learn_statements(!outcome.is_bug());
    if (analyses_) {
      races_.rewind(0);
      races_.extend(trace_, outcome, is_redundant_);
      facts_.begin(statements_.get(), events_ ? &*events_ : nullptr);
    }
    find_values();
    report_.values = report_.found.size();
    if (space_.reduces) {
      known_.note_own([this](std::uint32_t depth) { return own_footprint(depth - 1); });
      find_reversals();
    } else {
      find_all();
      report_.share = space_.share_of(points_);
      explored_ += report_.share;
    }
    if (is_piece_) end_run();
    races_.forget();
    heap_ = {};
    finished_ = !known_.go_on(priorities_) || (is_piece_ && is_piece_over());
  }

  Coverage coverage() const override {
    const std::uint64_t count = executions_ - redundant_;
    if (space_.reduces && races_.at_limit() != 0) {
      return {false, races_.limited_text("executions, reduced, best first", count)};
    }
    std::string text = finished_ ? space_.promise() : "executions, best first";
    text += ": " + std::to_string(count) + (finished_ ? "" : "; " + known_.text(measures_));
    if (redundant_ != 0) text += "; cut as redundant: " + std::to_string(redundant_);
    return {finished_, text};
  }

  // --- HasPieces ---

  bool begins_piece() const override { return is_piece_ && runs_.size() == 1; }
  bool is_first_piece() const override { return true; }
  ExecutionPlan* execution_plan() override { return this; }
  void take(std::string_view bytes) override {
    const RunPiece piece = RunPiece::from(bytes);
    restart();
    is_piece_ = true;
    known_.stay_in_memory();
    adopt_context(piece.context);
    limit_ = std::min(piece.limit, never - 1);
    most_runs_ = piece.most;
    items_.clear();
    names_.clear();
    runs_.clear();
    for (auto i = static_cast<std::uint32_t>(piece.items.size()); i-- != 0;)
      items_[known_.add_path(piece.items[i].path, piece.items[i].priority)] = i;
    if (items_.count(ExecutionTree::root) == 0) finished_ = !known_.go_on(priorities_);
  }
  PieceEnd give() override { return {{}, {}, finished_, runs_}; }
  std::optional<std::string> next_piece(std::uint64_t) override { return std::nullopt; }
  void merge(std::string_view) override {}

  // --- ExecutionPlan ---

  std::optional<std::string> next_runs(std::uint64_t number, bool only_next) override {
    if (finished_) return std::nullopt;
    return ahead().next_piece(number, only_next, context());
  }
  bool is_awaited(std::uint64_t number) const override { return ahead().is_awaited(number); }
  std::vector<std::uint64_t> came_back(std::uint64_t number, std::span<const std::string> runs,
                                       std::uint64_t first) override {
    return ahead().came_back(number, runs, first);
  }
  std::optional<std::uint64_t> turn() const override {
    return finished_ ? std::nullopt : ahead().turn();
  }
  void count_turn() override {
    const std::uint64_t number = *turn();
    const RunReport report = RunReport::from(ahead().take_report(), priorities_);
    ++executions_;
    if (report.is_redundant) ++redundant_;
    if (report.is_at_limit) races_.add_at_limit(1);
    explored_ += report.share;
    known_.begin();
    for (const auto& [depth, choice] : report.detours) known_.detour(depth, choice);
    add_all(report);
    known_.number_current(number);
    ahead().note_counted();
    finished_ = !known_.go_on(priorities_);
    if (report.context) {
      adopt_context(*report.context);
      ahead().forget();
    }
    ahead().note_turn();
  }
  void run_turn_again() override { ahead().run_again(); }
  std::string piece_of_turn() override { return ahead().piece_of_turn(context()); }
  std::vector<std::uint64_t> take_useless() override { return ahead().take_useless(); }
  std::uint64_t kept() const override { return ahead().kept(); }
  bool has_ended() const override { return finished_; }

  std::string progress() const override {
    const std::string estimate = estimate_text(executions_, explored_, "executions");
    return known_.progress() + (estimate.empty() ? "" : ", " + estimate);
  }

 private:
  // --- A piece ---

  // What was learned, and what an execution shows depends on.
  std::string context() const {
    ByteWriter writer;
    const std::vector<std::uint64_t> blocks = races_.order().contended_blocks().all();
    writer.list(std::span<const std::uint64_t>(blocks));
    writer.number(priorities_.go_by_order() ? races_.order().task_count() : 0);
    priorities_.tell(writer);
    return writer.take();
  }
  void adopt_context(std::string_view context) {
    ByteReader reader(context);
    races_.order().contended_blocks().assign(reader.list<std::uint64_t>());
    const auto tasks = static_cast<std::uint32_t>(reader.number());
    if (priorities_.go_by_order()) races_.order().make_room_for(tasks);
    priorities_.be_told(reader);
    learned_ = learned();
  }
  // Becomes more whenever the context does.
  std::uint64_t learned() const {
    const std::uint64_t tasks = priorities_.go_by_order() ? races_.order().task_count() : 0;
    return races_.order().contended_blocks().size() + tasks + priorities_.parts_learned();
  }

  void begin_run() {
    report_ = {};
    report_.is_reduced = space_.reduces;
    RunName name;
    const auto item = items_.find(known_.found_node());
    if (item != items_.end()) {
      name.item = item->second;
      items_.erase(item);  // the node may be another one's later
    } else {
      name.found = known_.name();
      --name.found.finder;
      name.is_guess = known_.is_guess();
    }
    names_.push_back(name);
    runs_.push_back(name.to_bytes({}));
  }
  void end_run() {
    report_.is_redundant = is_redundant_;
    report_.is_at_limit = races_.is_at_limit();
    if (learned() != learned_) report_.context = context();
    runs_.back() = names_.back().to_bytes(report_.to_bytes(priorities_));
    known_.number_current(names_.size());
  }
  bool is_piece_over() const {
    return report_.context || runs_.size() >= most_runs_ || known_.current_priority() > limit_;
  }

  void report(std::uint32_t at, std::uint16_t choice, bool has_facts) {
    const DefaultPoint& point = points_[at];
    const Candidate candidate = candidate_of(at, choice, has_facts);
    FoundDecision& found = report_.found.emplace_back();
    found = {at + 1, choice, point.is_value, priorities_.without_order(candidate)};
    found.past = candidate.past ^ index(candidate.task);
    if (space_.reduces) found.passed = footprint_at(at);
    const std::uint64_t priority = priorities_.go_by_order() ? never : found.priority;
    const KnownExecutions::Found other{at + 1,       choice,       priority,
                                       found.passed, std::nullopt, point.is_value};
    if (known_.is_own(at + 1)) return known_.add(other);
    // What else is known there by then only the whole knows.
    wanted_.for_each_other_beginning([&](std::uint16_t task) { found.instead.push_back(task); });
    if (known_.is_numbered(at + 1) && !is_known_here(found)) known_.guess(other);
  }
  bool is_known_here(const FoundDecision& found) const {
    if (known_.contains(found.depth, found.choice)) return true;
    return std::any_of(found.instead.begin(), found.instead.end(),
                       [&](std::uint16_t task) { return known_.contains(found.depth, task); });
  }

  // --- The whole, of which others run pieces ---

  RunsAhead& ahead() const {
    if (!ahead_) ahead_.emplace(const_cast<KnownExecutions&>(known_));
    return *ahead_;
  }

  void add_found(const FoundDecision& found) {
    if (is_known_here(found)) return;
    Candidate candidate{};
    candidate.past = found.past;
    known_.add({found.depth, found.choice, priorities_.in_order(found.priority, candidate),
                found.passed, std::nullopt, found.is_value});
  }

  void add_all(const RunReport& report) {
    const auto values = report.found.begin() + static_cast<std::ptrdiff_t>(report.values);
    std::for_each(report.found.begin(), values, [this](const auto& each) { add_found(each); });
    if (space_.reduces) known_.note_own(report.own);
    std::for_each(values, report.found.end(), [this](const auto& each) { add_found(each); });
  }

  std::uint32_t deviation(const ChoicePoint& point, std::uint16_t& by_default) {
    const std::uint16_t choice = known_.take_deviation();
    if (!offers(point, choice)) {
      throw Nondeterminism(point.step, choice + 1U, point.options.size());
    }
    if (!space_.reduces || point.kind == ChoiceKind::value) return option_of(point, choice);
    sleep_.take(point, choice, known_.taken_before(point, by_default));
    if (known_.skips_default()) by_default = DecisionPoint::nobody;
    return option_of(point, choice);
  }

  // By default, unless that one sleeps; no_index: all do.
  std::uint32_t go_on(const ChoicePoint& point, std::uint32_t first, std::uint16_t& by_default) {
    if (!space_.reduces || !known_.has_arrived()) return first;
    const std::uint32_t option = sleep_.awake_option(point, first);
    if (option == first || option == no_index) return option;
    by_default = DecisionPoint::nobody;
    const auto depth = static_cast<std::uint32_t>(points_.size() + 1);
    known_.detour(depth, choice_of(point, option));
    if (is_piece_) report_.detours.emplace_back(depth, choice_of(point, option));
    return option;
  }

  void learn_statements(bool is_good) {
    statements_->sets().begin_execution();
    events_->rewind(0);
    events_->extend(trace_, contexts_, is_good);
    events_->add_left(races_.left(), left_contexts_);
  }

  // --- Other executions ---

  void find_values() {
    for (std::uint32_t at = known_.depth(); at < points_.size(); ++at) {
      if (!points_[at].is_value) continue;
      for (std::uint32_t i = 0; i < points_[at].options; ++i) {
        add(at, static_cast<std::uint16_t>(i));
      }
    }
  }

  void find_all() {
    for (std::uint32_t at = known_.depth(); at < points_.size(); ++at) {
      points_.for_each_enabled(at, [&](std::uint16_t task) { add(at, task); });
    }
  }

  void find_reversals() {
    wanted_.for_each(
        known_.depth() == 0 ? 0 : points_[known_.depth() - 1].step,
        [this](std::uint32_t at, std::uint16_t task) {
          return task == points_[at].by_default || is_known(at + 1, task);
        },
        [this](std::uint32_t at, std::uint16_t task) { add(at, task); });
  }

  bool is_known(std::uint32_t depth, std::uint16_t choice) const {
    return is_piece_ ? known_.contains_surely(depth, choice) : known_.contains(depth, choice);
  }

  void add(std::uint32_t at, std::uint16_t choice) {
    const DefaultPoint& point = points_[at];
    if (choice == point.by_default || choice == point.chosen) return;
    if (is_known(at + 1, choice)) return;
    if (point.preemptions_with(choice) > space_.bound) return;
    const bool has_facts = analyses_ && !point.is_value;
    if (is_piece_) return report(at, choice, has_facts);
    const std::uint64_t priority = priorities_.of(candidate_of(at, choice, has_facts));
    known_.add({at + 1, choice, priority, space_.reduces ? footprint_at(at) : Footprint{},
                has_facts ? facts_.new_pair() : std::nullopt, point.is_value});
  }

  // What the execution did at a point.
  Footprint footprint_at(std::uint32_t at) const {
    const std::uint32_t slot = races_.order().slot_at(points_[at].step);
    return slot == no_index ? Footprint::all() : races_.order().slots()[slot].footprint;
  }

  Footprint own_footprint(std::uint32_t at) {
    const Footprint footprint = footprint_at(at);
    if (is_piece_) report_.own.push_back(footprint);
    return footprint;
  }

  Candidate candidate_of(std::uint32_t at, std::uint16_t choice, bool has_facts) {
    const DefaultPoint& point = points_[at];
    Candidate candidate{trace_, point.step, task_id(choice), point.preemptions_with(choice),
                        point.cost(choice) != 0};
    if (point.is_value) candidate.task = trace_[point.step].task;
    if (has_facts) facts_.complete(candidate, at, choice);
    return candidate;
  }

  const SearchSpace space_;
  Priorities priorities_;
  const std::shared_ptr<Statements> statements_;  // of the priorities; may be null
  const bool analyses_;
  KnownExecutions known_;
  const bool measures_;
  std::uint64_t executions_ = 0;
  std::uint64_t redundant_ = 0;  // of these: they came to nothing but what sleeps
  double explored_ = 0;          // the part of the space that has been run; 0: unknown
  bool finished_ = false;

  // The current execution.
  DecisionPoints<DefaultPoint> points_;
  Trace trace_;
  HeapTrace heap_;
  bool is_redundant_ = false;
  ExecutionRaces races_;
  SleepingSiblings sleep_{races_.order().contended_blocks()};
  WantedDecisions wanted_{space_, races_, points_};
  CandidateFacts facts_{space_, races_, points_};
  std::optional<RunEvents> events_;  // if there are statements
  std::span<const ContextId> contexts_;
  std::span<const ContextId> left_contexts_;

  // Of one who searches single pieces.
  static constexpr std::uint64_t never = ~std::uint64_t{0};
  bool is_piece_ = false;
  std::uint64_t learned_ = 0;  // when it began
  std::uint64_t limit_ = 0;
  std::uint64_t most_runs_ = 0;
  std::unordered_map<std::uint32_t, std::uint32_t> items_;  // by node
  RunReport report_;                                        // of the current execution
  std::vector<RunName> names_;
  std::vector<std::string> runs_;

  // Of one who has the whole, and runs nothing.
  mutable std::optional<RunsAhead> ahead_;
};

}  // namespace

std::unique_ptr<Strategy> make_unpruned_hapset(const Parameters& parameters,
                                               const std::string& space,
                                               const std::shared_ptr<Statements>& statements) {
  Parameters own = parameters;
  own.values = {{"space", space}, {"priority", "hapset+pb"}, {"measure", "no"}};
  own.resources.priorities.statements = statements;
  return std::make_unique<BestFirstStrategy>(own);
}

std::unique_ptr<Strategy> make_bestfirst(const Parameters& parameters) {
  auto strategy = std::make_unique<BestFirstStrategy>(parameters);
  strategy->learn(parameters.resources.learned);
  return strategy;
}

}  // namespace ricercar::inline strategy
