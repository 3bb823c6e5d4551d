#include "cli/uninstrumented.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "cli/commands.h"
#include "report/message_places.h"

namespace ricercar::inline cli {
namespace {

constexpr const char* advice_on_assembly =
    "races and schedules are missed there; take the compiler's atomics, as std::atomic or "
    "__atomic_exchange_n, instead";

// What is inline assembly, and the files that are not instrumented.
std::pair<std::vector<UninstrumentedCode>, std::vector<UninstrumentedCode>> split(
    const std::vector<UninstrumentedCode>& all) {
  std::vector<UninstrumentedCode> assembly, files;
  for (const UninstrumentedCode& code : all) {
    (code.assembly.empty() ? files : assembly).push_back(code);
  }
  return {assembly, files};
}

}  // namespace

void add_uninstrumented(RunSummary& summary, const Program& program, const SearchResult& result) {
  if (info(summary.world).compiled == Compiled::as_it_is) return;  // nor need it be
  if (program.is_cluster()) {
    for (const std::string& node : program.nodes) {
      for (const UninstrumentedCode& code : uninstrumented_code(node)) {
        summary.uninstrumented.push_back(code);
      }
    }
    return;
  }
  summary.uninstrumented = uninstrumented_code(program.path, lines_of(result.late_libraries));
  if (summary.uninstrumented.empty() || summary.most_tasks < 2) return;
  summary.is_partly_blind = true;
  if (summary.complete) summary.coverage += "; all this as far as the code is instrumented";
  summary.complete = false;
  const auto [assembly, files] = split(summary.uninstrumented);
  if (!assembly.empty()) {
    summary.notes.push_back(
        fmt::format("not seen: {}; {}", list_of(assembly, program.path), advice_on_assembly));
  }
  if (files.empty()) return;
  summary.notes.push_back(fmt::format(
      "not instrumented: {}; its accesses to memory are not seen, so races and schedules are "
      "missed; compile it with `ricercar c++`, in CMake see ricercar_add_test",
      list_of(files, program.path)));
}

void add_not_modelled(RunSummary& summary, const SearchResult& result) {
  for (const std::string& line : lines_of(result.not_modelled)) {
    summary.not_modelled.push_back(with_source_lines(line));
  }
  if (summary.not_modelled.empty() || summary.most_tasks < 2) return;
  summary.is_partly_blind = true;
  if (summary.complete) summary.coverage += "; all this as far as the program is modelled";
  summary.complete = false;
}

void warn_of_uninstrumented(const std::string& linked) {
  const auto [assembly, files] = split(uninstrumented_code_in(linked));
  if (!assembly.empty()) {
    fmt::print(stderr, "ricercar: note: not seen: {}; {}\n", list_of(assembly, linked),
               advice_on_assembly);
  }
  if (files.empty()) return;
  fmt::print(stderr,
             "ricercar: note: not instrumented, because it was compiled without `ricercar c++`: "
             "{}\n",
             list_of(files, linked));
}

int print_uninstrumented(const std::vector<std::string>& arguments) {
  if (arguments.size() != 1) throw UsageError("ricercar uninstrumented PROGRAM");
  const std::vector<UninstrumentedCode> code = uninstrumented_code(arguments[0]);
  fmt::print("{}", list_of(code, arguments[0]));
  return exit_ok;
}

}  // namespace ricercar::inline cli
