// The words of a row that stands for several steps.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "model/operation.h"
#include "report/build_threads.h"
#include "report/style.h"

namespace ricercar::inline report {
namespace {

// More than so many are counted.
constexpr std::size_t most_told = 3;
constexpr std::size_t most_told_width = 48;

bool is_access(const ReportStep& step) {
  return std::any_of(std::begin(operation_kinds), std::end(operation_kinds),
                     [&step](const OperationKindInfo& kind) {
                       const auto index = static_cast<std::size_t>(&kind - operation_kinds);
                       return step.operation == kind.name &&
                              is_memory_access(static_cast<OperationKind>(index));
                     });
}

// "writes counter = 1" behind "reads counter = 0" is "writes 1".
std::string words_behind(const ReportStep& last, const ReportStep& step) {
  const std::string middle = " " + step.object + " = ";
  const std::size_t at = step.what.find(middle);
  const bool is_same_object = !step.object.empty() && last.object == step.object &&
                              last.what != step.what && is_access(last) && is_access(step) &&
                              at != std::string::npos;
  if (!is_same_object) return step.what;
  return step.what.substr(0, at) + " " + step.what.substr(at + middle.size());
}

// "loads ready = 0, yields (3 times), loads ready = 1": what a loop does again is said once.
std::string told_once(const std::vector<std::string>& words) {
  constexpr std::size_t longest_said = 4;
  std::vector<std::string> told;
  for (std::size_t at = 0; at < words.size();) {
    std::size_t period = 1;
    std::size_t end = at + 1;
    for (std::size_t each = 1; each <= longest_said; ++each) {
      std::size_t to = at + each;
      while (to < words.size() && words[to] == words[to - each]) ++to;
      to -= (to - at) % each;
      const bool is_longer = to - at >= 2 * each && to > end;
      if (is_longer) period = each, end = to;
    }
    const std::size_t times = (end - at) / period;
    for (std::size_t i = at; i < at + period; ++i) told.push_back(words[i]);
    if (times > 1) told.back() += fmt::format(" ({} times)", times);
    at = end;
  }
  return fmt::format("{}", fmt::join(told, ", "));
}

std::string told_in_full(const std::vector<const ReportStep*>& parts) {
  std::vector<std::string> words;
  const ReportStep* last = nullptr;
  for (const ReportStep* part : parts) {
    const bool is_again = last != nullptr && last->what == part->what && part->number == 0;
    if (is_again) continue;
    words.push_back(last == nullptr ? part->what : words_behind(*last, *part));
    last = part;
  }
  return told_once(words);
}

std::size_t count_different(const std::vector<const ReportStep*>& parts) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    count += i == 0 || parts[i]->what != parts[i - 1]->what ? 1 : 0;
  }
  return count;
}

// "queue.items" of "queue.items[1]" and "queue.items"; empty: they are parts of nothing known.
std::string common_path(const std::string& one, const std::string& two) {
  const auto is_end = [](const std::string& name, std::size_t at) {
    return at == name.size() || std::string_view(".[+ -").find(name[at]) != std::string_view::npos;
  };
  std::size_t same = 0;
  while (same < one.size() && same < two.size() && one[same] == two[same]) ++same;
  while (same > 0 && !(is_end(one, same) && is_end(two, same))) --same;
  return one.substr(0, same);
}

// "queue", if all of them are about parts of it.
std::string common_object(const std::vector<const ReportStep*>& parts) {
  std::string common = parts.front()->object;
  for (const ReportStep* part : parts) common = common_path(common, part->object);
  return common;
}

// "3 reads", "18 accesses"
std::string counted_accesses(const std::vector<const ReportStep*>& accesses) {
  const std::string& first = accesses.front()->operation;
  const bool are_alike = std::all_of(accesses.begin(), accesses.end(), [&](const auto* access) {
    return access->operation == first;
  });
  std::string word = "accesses";
  for (const auto& [kind, plural] :
       {std::pair{OperationKind::read, "reads"}, std::pair{OperationKind::write, "writes"},
        std::pair{OperationKind::atomic_load, "loads"},
        std::pair{OperationKind::atomic_store, "stores"}}) {
    if (are_alike && first == info(kind).name) word = plural;
  }
  return fmt::format("{} {}", accesses.size(), word);
}

// The count says it already.
bool is_said_by_count(const std::string& function, const std::string& count) {
  return count.ends_with(" " + function + "s");
}

// "push_back: 18 accesses of queue"
std::string counted_words(const std::vector<const ReportStep*>& accesses) {
  const std::string& inside = accesses.front()->place.inside;
  const std::size_t colons = inside.rfind("::");
  const std::string function = colons == std::string::npos ? inside : inside.substr(colons + 2);
  const bool is_one_call =
      !function.empty() && std::all_of(accesses.begin(), accesses.end(), [&](const auto* access) {
        return access->place.inside == inside;
      });
  const std::string object = common_object(accesses);
  const std::string count = counted_accesses(accesses);
  const std::string& value = accesses.back()->value;
  const bool has_size = !object.empty() && value.starts_with("size ");
  const bool names_call = is_one_call && !is_said_by_count(function, count);
  return (names_call ? function + ": " : "") + count + (object.empty() ? "" : " of " + object) +
         (has_size ? " (" + value + ")" : "");
}

std::string words_of(const std::vector<ReportStep>& parts, const std::vector<bool>& named) {
  std::vector<const ReportStep*> all;
  for (const ReportStep& part : parts) all.push_back(&part);
  const std::string full = told_in_full(all);
  const std::size_t different = count_different(all);
  if (different == 1 || (different <= most_told && width_of(full) <= most_told_width)) return full;
  std::vector<std::string> words;
  std::vector<const ReportStep*> counted;
  const ReportStep* last = nullptr;  // the one whose words come last
  const auto tell = [&](const ReportStep& part) {
    words.push_back(last == nullptr ? part.what : words_behind(*last, part));
    last = &part;
  };
  const auto tell_counted = [&] {
    if (counted.size() == 1) tell(*counted.front());
    if (counted.size() > 1) {
      words.push_back(counted_words(counted));
      last = nullptr;
    }
    counted.clear();
  };
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (is_access(parts[i]) && !named[i]) {
      counted.push_back(&parts[i]);
      continue;
    }
    tell_counted();
    tell(parts[i]);
  }
  tell_counted();
  return told_once(words);
}

// A property that all parts have in common; otherwise nothing.
std::string common(const std::vector<ReportStep>& parts, std::string ReportStep::*member) {
  const bool is_common = std::all_of(parts.begin(), parts.end(), [&](const ReportStep& part) {
    return part.*member == parts.front().*member;
  });
  return is_common ? parts.front().*member : "";
}

bool are_all(const std::vector<ReportStep>& parts, OperationKind kind) {
  return std::all_of(parts.begin(), parts.end(),
                     [&](const ReportStep& part) { return part.operation == info(kind).name; });
}

// "creates T1 to T3" and "joins T1, T2": tasks in the order of their numbers.
std::string task_names(const std::vector<ReportStep>& parts) {
  const bool are_created = are_all(parts, OperationKind::create);
  if (are_created) {
    const TaskId first = parts.front().first_created;
    const TaskId last = parts.back().last_created;
    if (index(last) == index(first) + parts.size() - 1) return Names::tasks(first, last);
  }
  std::vector<std::string> names;
  for (const ReportStep& part : parts) names.push_back(part.object);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

ReportStep merged(std::vector<ReportStep> parts, const std::vector<bool>& named) {
  if (parts.size() == 1) return std::move(parts.front());
  ReportStep row = parts.front();
  for (const ReportStep& part : parts) {
    if (row.number == 0) row.number = part.number;
    row.preempts = row.preempts || part.preempts;
    row.ends = row.ends || part.ends;
    if (row.first_created == no_task) row.first_created = part.first_created;
    if (part.last_created != no_task) row.last_created = part.last_created;
  }
  const bool about_tasks =
      are_all(parts, OperationKind::create) || are_all(parts, OperationKind::join);
  row.operation = common(parts, &ReportStep::operation);
  row.object = about_tasks ? task_names(parts) : common(parts, &ReportStep::object);
  row.value = common(parts, &ReportStep::value);
  row.what = about_tasks ? (row.first_created != no_task ? "creates " : "joins ") + row.object
                         : words_of(parts, named);
  row.until = 0;
  row.parts = std::move(parts);
  return row;
}

}  // namespace ricercar::inline report
