// Assertions about Ricercar itself. They stay on in release builds: a wrong search is worse than a
// stopped one. A failed check is our own fault and says so; it never blames the user's program.
#pragma once

namespace ricercar::inline base {

// Told the message before the process ends, because its standard error may lead nowhere.
extern void (*internal_bug_hook)(const char* text);

// Whether what holds between any two steps is checked after every step: it takes longer than the
// step. Otherwise tests ask for it.
#ifdef RICERCAR_SANITIZED
inline constexpr bool checks_every_step = true;
#else
inline constexpr bool checks_every_step = false;
#endif

[[noreturn]] void internal_bug(const char* file, int line, const char* what) noexcept;

}  // namespace ricercar::inline base

#define RICERCAR_CHECK(condition)                    \
  (__builtin_expect(static_cast<bool>(condition), 1) \
       ? static_cast<void>(0)                        \
       : ::ricercar::internal_bug(__FILE__, __LINE__, #condition))
