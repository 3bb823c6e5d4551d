// Hooks: clocks. All of them show the one virtual time, those of processor time too.
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

#include <cstring>

#include "threads/buffers.h"
#include "threads/hook.h"
#include "threads/memory/real_function.h"
#include "threads/sleep.h"

namespace ricercar::inline hooks {
namespace {

constexpr clockid_t last_clock = CLOCK_TAI;

timeval to_timeval(const timespec& time) { return {time.tv_sec, time.tv_nsec / 1000}; }

// Fills a variable of the program.
template <typename T>
void give(T* to, const T& value, std::uint64_t site) {
  if (is_for_program(site)) program_writes(to, sizeof *to, site);
  *to = value;
}

// The processor time that the whole program, or one task, seems to have used.
timespec processor_time(std::uint64_t site) {
  return time_on_clock(CLOCK_PROCESS_CPUTIME_ID, site);
}

}  // namespace
}  // namespace ricercar::inline hooks

using namespace ricercar;

RICERCAR_HOOK int clock_gettime(clockid_t clock, timespec* time) {
  if (!controlled() || clock > last_clock) return RICERCAR_REAL(clock_gettime)(clock, time);
  give(time, time_on_clock(clock, RICERCAR_SITE()), RICERCAR_SITE());
  return 0;
}
RICERCAR_HOOK int gettimeofday(timeval* time, void* zone) {
  if (!controlled()) return RICERCAR_REAL(gettimeofday)(time, zone);
  if (zone != nullptr) std::memset(zone, 0, sizeof(struct timezone));
  give(time, to_timeval(time_on_clock(CLOCK_REALTIME, RICERCAR_SITE())), RICERCAR_SITE());
  return 0;
}
RICERCAR_HOOK time_t time(time_t* result) {
  if (!controlled()) return RICERCAR_REAL(time)(result);
  const time_t now = time_on_clock(CLOCK_REALTIME, RICERCAR_SITE()).tv_sec;
  if (result != nullptr) give(result, now, RICERCAR_SITE());
  return now;
}
RICERCAR_HOOK int timespec_get(timespec* time, int base) {
  if (!controlled() || base != TIME_UTC) return RICERCAR_BEHIND(timespec_get)(time, base);
  give(time, time_on_clock(CLOCK_REALTIME, RICERCAR_SITE()), RICERCAR_SITE());
  return base;
}
RICERCAR_HOOK clock_t clock() {
  if (!controlled()) return RICERCAR_BEHIND(clock)();
  const timespec time = processor_time(RICERCAR_SITE());
  return time.tv_sec * CLOCKS_PER_SEC + time.tv_nsec / (1'000'000'000 / CLOCKS_PER_SEC);
}
RICERCAR_HOOK clock_t times(tms* buffer) {
  if (!controlled()) return RICERCAR_BEHIND(times)(buffer);
  const timespec time = processor_time(RICERCAR_SITE());
  constexpr long ticks_per_second = 100;  // of every Linux: sysconf(_SC_CLK_TCK)
  const clock_t ticks =
      time.tv_sec * ticks_per_second + time.tv_nsec / (1'000'000'000 / ticks_per_second);
  if (buffer != nullptr) *buffer = {ticks, 0, 0, 0};
  return ticks;
}
// What the kernel counts differs from run to run, so the program sees time and nothing else.
RICERCAR_HOOK int getrusage(__rusage_who_t who, rusage* usage) {
  const int result = RICERCAR_BEHIND(getrusage)(who, usage);
  if (!controlled() || result != 0) return result;
  *usage = {};
  usage->ru_utime = to_timeval(processor_time(RICERCAR_SITE()));
  return 0;
}
