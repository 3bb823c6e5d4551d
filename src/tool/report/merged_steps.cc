// The words of a row that stands for several steps.
#include <fmt/format.h>

#include <algorithm>

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
                              is_access(last) && is_access(step) && at != std::string::npos;
  if (!is_same_object) return step.what;
  return step.what.substr(0, at) + " " + step.what.substr(at + middle.size());
}

std::string told_in_full(const std::vector<const ReportStep*>& parts) {
  std::string text;
  const ReportStep* last = nullptr;
  for (const ReportStep* part : parts) {
    if (last != nullptr && last->what == part->what) continue;
    text += last == nullptr ? part->what : ", " + words_behind(*last, *part);
    last = part;
  }
  return text;
}

std::size_t count_different(const std::vector<const ReportStep*>& parts) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    count += i == 0 || parts[i]->what != parts[i - 1]->what ? 1 : 0;
  }
  return count;
}

// The variable that something is a part of.
std::string root_of(const std::string& object) {
  return object.substr(0, object.find_first_of(".[+ "));
}

// "queue", if all of them are about parts of it.
std::string common_object(const std::vector<const ReportStep*>& parts) {
  const auto all_are = [&parts](auto name_of) {
    const std::string first = name_of(parts.front()->object);
    const bool all = std::all_of(parts.begin(), parts.end(), [&](const ReportStep* part) {
      return name_of(part->object) == first;
    });
    return all ? first : "";
  };
  const std::string same = all_are([](const std::string& name) { return name; });
  return same.empty() ? all_are(root_of) : same;
}

// "3 reads", "18 accesses"
std::string counted_accesses(const std::vector<const ReportStep*>& accesses) {
  const std::string& first = accesses.front()->operation;
  const bool are_alike = std::all_of(accesses.begin(), accesses.end(), [&](const auto* access) {
    return access->operation == first;
  });
  const bool has_word =
      first == info(OperationKind::read).name || first == info(OperationKind::write).name;
  return fmt::format("{} {}", accesses.size(), are_alike && has_word ? first + "s" : "accesses");
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
  return (is_one_call ? function + ": " : "") + count + (object.empty() ? "" : " of " + object);
}

std::string words_of(const std::vector<ReportStep>& parts, const std::vector<bool>& named) {
  std::vector<const ReportStep*> all;
  for (const ReportStep& part : parts) all.push_back(&part);
  const std::string full = told_in_full(all);
  const std::size_t different = count_different(all);
  if (different == 1 || (different <= most_told && width_of(full) <= most_told_width)) return full;
  std::vector<std::string> words;
  std::vector<const ReportStep*> counted;
  const auto tell_counted = [&] {
    if (counted.size() == 1) words.push_back(counted.front()->what);
    if (counted.size() > 1) words.push_back(counted_words(counted));
    counted.clear();
  };
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (is_access(parts[i]) && !named[i]) {
      counted.push_back(&parts[i]);
      continue;
    }
    tell_counted();
    words.push_back(parts[i].what);
  }
  tell_counted();
  return fmt::format("{}", fmt::join(words, ", "));
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
