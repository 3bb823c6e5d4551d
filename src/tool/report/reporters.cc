#include "report/reporters.h"

#include <fmt/format.h>

#include <vector>

#include "base/error.h"
#include "report/style.h"

namespace ricercar::inline report {
namespace {

constexpr Reporter all_reporters[] = {
#define RICERCAR_ROW(name, extension, summary) {#name, extension, summary, name##_report},
    RICERCAR_REPORTERS(RICERCAR_ROW)
#undef RICERCAR_ROW
};

}  // namespace

std::span<const Reporter> reporters() { return all_reporters; }

const Reporter& reporter_by_name(std::string_view name) {
  std::vector<std::string> names;
  for (const Reporter& reporter : reporters()) {
    if (reporter.name == name) return reporter;
    names.emplace_back(reporter.name);
  }
  throw UsageError(fmt::format("there is no format '{}'; there are {}", name, enumerated(names)));
}

}  // namespace ricercar::inline report
