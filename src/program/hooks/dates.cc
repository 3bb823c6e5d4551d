// Hooks: dates, made from numbers and written as texts. What they keep for themselves (the time
// zone) the C library locks. Those that give out its own memory are in not_modelled.cc.
#include <time.h>

#include <cstring>

#include "hooks/behind.h"
#include "threads/buffers.h"
#include "threads/hook.h"

namespace ricercar::inline hooks {
namespace {

using BreakDown = struct tm* (*)(const time_t*, struct tm*);
using WriteDate = std::size_t (*)(char*, std::size_t, const char*, const struct tm*);

template <typename Call>
struct tm* break_down(const time_t* time, struct tm* to, std::uint64_t site, Call call) {
  if (!is_for_program(site)) return call();
  program_reads(time, sizeof *time, site);
  const Filling filling(to, sizeof *to, site);
  struct tm* result = call();
  if (result != nullptr) filling.filled(sizeof *to);
  return result;
}

}  // namespace
}  // namespace ricercar::inline hooks

using namespace ricercar;

#define RICERCAR_DATE_HOOK(name)                                                       \
  RICERCAR_HOOK struct tm* name(const time_t* time, struct tm* to) noexcept {          \
    return break_down(time, to, RICERCAR_SITE(),                                       \
                      [&] { return RICERCAR_BEHIND_AS(BreakDown, #name)(time, to); }); \
  }
RICERCAR_DATE_HOOK(localtime_r)
RICERCAR_DATE_HOOK(gmtime_r)

RICERCAR_HOOK size_t strftime(char* to, size_t size, const char* format,
                              const struct tm* date) noexcept {
  const std::uint64_t site = RICERCAR_SITE();
  const auto real = RICERCAR_BEHIND_AS(WriteDate, "strftime");
  if (!is_for_program(site)) return real(to, size, format, date);
  program_reads_text(format, site);
  program_reads(date, sizeof *date, site);
  const Filling filling(to, size, site);
  const std::size_t length = real(to, size, format, date);
  if (length > 0) filling.filled(length + 1);
  return length;
}
