#include "strategy/priority.h"

#include <algorithm>
#include <unordered_set>

#include "base/error.h"
#include "base/kept.h"
#include "base/nearest.h"
#include "base/random.h"

namespace ricercar::inline strategy {
namespace {

constexpr std::size_t max_functions = 4;

class FewPreemptions : public PlainPriority {
 public:
  std::uint16_t priority(const Candidate& candidate) override {
    return static_cast<std::uint16_t>(std::min<std::uint32_t>(candidate.preemptions, 0xffff));
  }
};

class Reduction : public PlainPriority {
 public:
  std::uint16_t priority(const Candidate& candidate) override {
    return candidate.reverses_race ? 0 : 1;
  }
  bool needs_order() const override { return true; }
};

// As Reduction, but what the reduction asks for only to be on the safe side comes later. (The paper
// defers decisions before a release, too. Here no race asks for one: an operation that has to wait
// for a lock races with the one that took it.)
class DirectReduction : public PlainPriority {
 public:
  std::uint16_t priority(const Candidate& candidate) override {
    if (candidate.is_direct) return 0;
    return candidate.reverses_race ? 1 : 2;
  }
  bool needs_order() const override { return true; }
};

// What sleeps is explored below an earlier sibling as well, in the spaces without a reduction.
class SleepSets : public PlainPriority {
 public:
  std::uint16_t priority(const Candidate& candidate) override { return candidate.sleeps ? 1 : 0; }
  bool needs_order() const override { return true; }
};

// First what shows something new: statements that follow each other and never did.
class NewScenarios : public PlainPriority {  // the statements are the strategy's to keep
 public:
  explicit NewScenarios(std::shared_ptr<Statements> statements)
      : statements_(std::move(statements)) {}
  std::uint16_t priority(const Candidate& candidate) override {
    if (candidate.shows_new) return 0;
    return candidate.reverses_race ? known : 2;
  }
  bool needs_order() const override { return true; }
  std::shared_ptr<Statements> statements() const override { return statements_; }
  const char* why_alone() const override { return "the priority hapset"; }

  static constexpr std::uint16_t known = 1;

 private:
  const std::shared_ptr<Statements> statements_;
};

class RandomPriority : public PriorityFunction {
 public:
  explicit RandomPriority(std::uint64_t seed) : random_(seed) {}
  std::uint16_t priority(const Candidate&) override {
    return static_cast<std::uint16_t>(random_.next() >> 52);  // a few thousand bins are enough
  }
  const char* why_alone() const override { return nullptr; }
  bool goes_by_order() const override { return true; }
  bool can_be_kept() const override { return true; }
  void save(KeptOut& out) const override { out(random_); }
  void load(KeptIn& in) override { in(random_); }

 private:
  Random random_;
};

class NovelPasts : public PriorityFunction {
 public:
  std::uint16_t priority(const Candidate& candidate) override {
    const std::uint64_t key = mix64(candidate.past ^ index(candidate.task));
    return seen_.insert(key).second ? 0 : 1;
  }
  const char* why_alone() const override { return nullptr; }
  bool goes_by_order() const override { return true; }
  bool needs_order() const override { return true; }
  bool can_be_kept() const override { return true; }
  void save(KeptOut& out) const override { out(seen_); }
  void load(KeptIn& in) override { in(seen_); }

 private:
  std::unordered_set<std::uint64_t> seen_;
};

// GAMBIT, section 4.3: first where both steps are among those that the tester has named, the one
// that would be preempted and the one that the other task does instead; then where one of them is.
// Where the task that ran before could not go on, or has yielded, nothing is preempted.
class NamedSteps : public PlainPriority {
 public:
  explicit NamedSteps(std::span<const AddressRange> ranges)
      : ranges_(ranges.begin(), ranges.end()) {}
  void begin(const TaskSteps& steps) override { steps_ = &steps; }
  std::uint16_t priority(const Candidate& candidate) override {
    const Step* preempting = steps_->next(candidate.task, candidate.step);
    const bool preempts_named = candidate.preempts && is_named(candidate.trace[candidate.step]);
    std::uint16_t result = preempts_named ? 0 : 1;
    if (preempting == nullptr || !is_named(*preempting)) ++result;
    return result;
  }
  bool needs_steps() const override { return true; }

 protected:
  virtual bool is_named(const Step& step) const = 0;
  bool contains(std::uint64_t address) const { return ricercar::contains(ranges_, address); }

 private:
  const std::vector<AddressRange> ranges_;
  const TaskSteps* steps_ = nullptr;
};

// A step is in a function if the function's own code makes it, or code that it has called.
class NamedFunctions : public NamedSteps {
 public:
  explicit NamedFunctions(const PriorityContext& context) : NamedSteps(context.functions) {}

 protected:
  bool is_named(const Step& step) const override {
    return (step.flags & step_named) != 0 || contains(step.site - 1);
  }
};

class NamedVariables : public NamedSteps {
 public:
  explicit NamedVariables(const PriorityContext& context) : NamedSteps(context.variables) {}

 protected:
  bool is_named(const Step& step) const override { return contains(step.object); }
};

// Stands for a priority that only the program knows, where nothing but the specification is
// checked.
class UnknownPriority : public PlainPriority {
 public:
  std::uint16_t priority(const Candidate&) override { return 0; }
  const char* why_alone() const override { return PriorityFunction::why_alone(); }
};

template <typename Function>
std::unique_ptr<PriorityFunction> make(std::uint64_t, const PriorityContext&) {
  return std::make_unique<Function>();
}

template <typename Function>
std::unique_ptr<PriorityFunction> make_named(std::uint64_t, const PriorityContext& context) {
  return std::make_unique<Function>(context);
}

std::unique_ptr<PriorityFunction> make_random_priority(std::uint64_t seed, const PriorityContext&) {
  return std::make_unique<RandomPriority>(seed);
}

std::unique_ptr<PriorityFunction> make_new_scenarios(std::uint64_t,
                                                     const PriorityContext& context) {
  std::shared_ptr<Statements> statements = context.statements;
  if (statements == nullptr) statements = std::make_shared<Statements>(calls_of_priority);
  return std::make_unique<NewScenarios>(std::move(statements));
}

constexpr PriorityInfo priority_table[] = {
    {"pb", "", "few preemptions first", make<FewPreemptions>},
    {"dpor", "", "first what partial-order reduction asks for", make<Reduction>},
    {"mdpor", "", "as dpor, and what it asks for only to be safe comes later",
     make<DirectReduction>},
    {"ss", "",
     "last what sleep sets leave out: tasks that come before at an earlier point, and commute",
     make<SleepSets>},
    {"rand", "", "in random order", make_random_priority},
    {"novel", "", "first what continues an unseen happens-before relation", make<NovelPasts>},
    {"hapset", "", "first what makes a statement follow one that it never has followed",
     make_new_scenarios, true},
    {"pattern", "", "first what completes a bug pattern: lock cycles, check-then-act, races",
     make_pattern_priority},
    {"method", "FUNCTION[+FUNCTION...]", "first preemptions of these functions by these functions",
     make_named<NamedFunctions>},
    {"var", "VARIABLE[+VARIABLE...]", "first preemptions where these variables are used",
     make_named<NamedVariables>},
};

[[noreturn]] void refuse_unknown(std::string_view name, std::span<const OwnPriority> own) {
  std::vector<std::string_view> known;
  for (const PriorityInfo& info : priority_table) known.push_back(info.name);
  for (const OwnPriority& priority : own) known.push_back(priority.name);
  throw UsageError("there is no priority " + quoted(name) + did_you_mean(name, known) +
                   " (`ricercar strategies` lists them all)");
}

// `piece` is `method=push`.
PriorityItem item_with_argument(std::string_view piece, std::size_t equals) {
  const std::string_view name = piece.substr(0, equals);
  const PriorityInfo* info = priority_info(name);
  if (info == nullptr) refuse_unknown(name, {});
  if (info->arguments.empty()) {
    throw UsageError("the priority " + quoted(name) + " takes no names, but got " + quoted(piece));
  }
  return {std::string(name), {std::string(piece.substr(equals + 1))}};
}

void add_piece(std::string_view piece, std::vector<PriorityItem>& items) {
  const std::size_t equals = piece.find('=');
  if (equals != std::string_view::npos) {
    items.push_back(item_with_argument(piece, equals));
  } else if (priority_info(piece) == nullptr && !items.empty() && !items.back().arguments.empty()) {
    items.back().arguments.emplace_back(piece);
  } else {
    items.push_back({std::string(piece), {}});
  }
}

void check_item(const PriorityItem& item) {
  const PriorityInfo* info = priority_info(item.name);
  if (info == nullptr || info->arguments.empty()) return;
  const std::vector<std::string>& names = item.arguments;
  if (names.empty() || std::find(names.begin(), names.end(), "") != names.end()) {
    throw UsageError("the priority " + quoted(item.name) + " wants names: write " + item.name +
                     "=NAME, or " + item.name + "=NAME+NAME for several");
  }
}

std::unique_ptr<PriorityFunction> make_own(std::string_view name, const PriorityContext& context) {
  for (const OwnPriority& own : context.own) {
    if (own.name == name) return own.make();
  }
  if (context.is_check) return std::make_unique<UnknownPriority>();
  refuse_unknown(name, context.own);
}

std::unique_ptr<PriorityFunction> make_function(const PriorityItem& item, std::uint64_t seed,
                                                const PriorityContext& context) {
  const PriorityInfo* info = priority_info(item.name);
  if (info == nullptr) return make_own(item.name, context);
  const bool is_resolved = !context.functions.empty() || !context.variables.empty();
  if (!info->arguments.empty() && !is_resolved && !context.is_check) {
    throw UsageError("the priority " + quoted(item.name) +
                     " needs the program's debug information, which only `ricercar run` reads");
  }
  return info->make(seed, context);
}

}  // namespace

std::span<const PriorityInfo> priorities() { return priority_table; }

const PriorityInfo* priority_info(std::string_view name) {
  const auto* found = std::find_if(std::begin(priority_table), std::end(priority_table),
                                   [&](const PriorityInfo& info) { return info.name == name; });
  return found == std::end(priority_table) ? nullptr : found;
}

std::vector<PriorityItem> parse_priorities(std::string_view text) {
  std::vector<PriorityItem> items;
  for (bool more = !text.empty(); more;) {
    const std::size_t end = std::min(text.find('+'), text.size());
    more = end < text.size();
    add_piece(text.substr(0, end), items);
    text.remove_prefix(more ? end + 1 : end);
  }
  if (items.empty() || items.size() > max_functions) {
    throw UsageError("one to four priorities are wanted, joined by '+', as in priority=mdpor+pb");
  }
  for (const PriorityItem& item : items) {
    check_item(item);
    const auto count = std::count_if(items.begin(), items.end(), [&](const PriorityItem& other) {
      return other.name == item.name;
    });
    if (count > 1) {
      throw UsageError("the priority " + quoted(item.name) + " is given twice" +
                       (item.arguments.empty()
                            ? ""
                            : "; give it all names at once: " + item.name + "=NAME+NAME"));
    }
  }
  return items;
}

Priorities::Priorities(std::string_view text, std::uint64_t seed, const PriorityContext& context) {
  for (const PriorityItem& item : parse_priorities(text)) {
    functions_.push_back(make_function(item, seed, context));
    needs_steps_ = needs_steps_ || functions_.back()->needs_steps();
  }
}

void Priorities::begin(Trace trace, Trace left) {
  if (!needs_steps_) return;
  steps_.assign(trace, left);
  for (const auto& function : functions_) function->begin(steps_);
}

std::uint64_t Priorities::of(const Candidate& candidate) const {
  std::uint64_t result = 0;
  for (const auto& function : functions_) result = result << 16 | function->priority(candidate);
  return result << (16 * (max_functions - functions_.size()));
}

std::uint64_t Priorities::without_order(const Candidate& candidate) const {
  std::uint64_t result = 0;
  for (const auto& function : functions_) {
    const bool is_later = function->goes_by_order();
    result = result << 16 | (is_later ? std::uint16_t{0} : function->priority(candidate));
  }
  return result << (16 * (max_functions - functions_.size()));
}

std::uint64_t Priorities::in_order(std::uint64_t priority, const Candidate& candidate) const {
  std::size_t shift = 16 * max_functions;
  for (const auto& function : functions_) {
    shift -= 16;
    if (function->goes_by_order())
      priority |= std::uint64_t{function->priority(candidate)} << shift;
  }
  return priority;
}

bool Priorities::go_by_order() const {
  return std::any_of(functions_.begin(), functions_.end(),
                     [](const auto& function) { return function->goes_by_order(); });
}

const char* Priorities::why_alone() const {
  for (const auto& function : functions_) {
    if (const char* why = function->why_alone()) return why;
  }
  return nullptr;
}

std::uint64_t Priorities::parts_learned() const {
  std::uint64_t parts = 0;
  for (const auto& function : functions_) parts += function->parts_learned();
  return parts;
}

void Priorities::tell(ByteWriter& writer) const {
  for (const auto& function : functions_) function->tell(writer);
}

void Priorities::be_told(ByteReader& reader) {
  for (const auto& function : functions_) function->be_told(reader);
}

void Priorities::write(ByteWriter& writer, std::uint64_t priority) const {
  for (std::size_t i = 0; i < functions_.size(); ++i, priority <<= 16)
    writer.number(priority >> 48);
}

std::uint64_t Priorities::read(ByteReader& reader) const {
  std::uint64_t priority = 0;
  for (std::size_t i = 0; i < functions_.size(); ++i) priority = priority << 16 | reader.number();
  return priority << (16 * (max_functions - functions_.size()));
}

std::shared_ptr<Statements> Priorities::statements() const {
  for (const auto& function : functions_) {
    if (std::shared_ptr<Statements> found = function->statements()) return found;
  }
  return nullptr;
}

std::uint64_t Priorities::of_known(std::uint64_t priority) const {
  std::size_t shift = 16 * max_functions;
  for (const auto& function : functions_) {
    shift -= 16;
    if (function->statements() == nullptr || ((priority >> shift) & 0xffff) != 0) continue;
    priority |= std::uint64_t{NewScenarios::known} << shift;
  }
  return priority;
}

bool Priorities::can_be_kept() const {
  return std::all_of(functions_.begin(), functions_.end(),
                     [](const auto& function) { return function->can_be_kept(); });
}

void Priorities::save(KeptOut& out) const {
  for (const auto& function : functions_) function->save(out);
}

void Priorities::load(KeptIn& in) {
  for (const auto& function : functions_) function->load(in);
}

bool Priorities::need_order() const {
  return std::any_of(functions_.begin(), functions_.end(),
                     [](const auto& function) { return function->needs_order(); });
}

}  // namespace ricercar::inline strategy
