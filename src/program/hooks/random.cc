// Hooks: random numbers.
//
// The generators of the C library (rand, random, drand48) are computed, not random: under control
// they give the same numbers as without it. Their state is shared by all threads, so each draw is
// an operation on it. What asks the kernel or the processor draws from the task's own stream.
#include <stdlib.h>
#include <sys/random.h>

#include "threads/hook.h"
#include "threads/memory/real_function.h"
#include "threads/random_source.h"

namespace ricercar::inline hooks {
namespace {

const char shared_generator = 0;  // its address names the C library's generators in a trace

// A whole program starts each time with the state it had before main. A resident execution starts
// with the state of a fresh process.
void renew_generators() {
  if (execution.options().whole_program || !program_state.random.library_is_fresh()) return;
  unsigned short zero[3] = {0, 0, 0};
  RICERCAR_BEHIND(srandom)(1);
  RICERCAR_BEHIND(seed48)(zero);
}

// Before the running task uses one of the C library's generators.
void draw(std::uint64_t site) {
  renew_generators();
  if (execution.options().points_at(Points::atomic) && !execution.tasks.alone_for_good()) {
    execution.point(OperationKind::atomic_update, &shared_generator, site);
  }
}

}  // namespace
}  // namespace ricercar::inline hooks

using namespace ricercar;

// A generator of the C library without its arguments' names: RICERCAR_GENERATOR(int, rand, (), ())
#define RICERCAR_GENERATOR(type, name, parameters, arguments) \
  RICERCAR_HOOK type name parameters noexcept {               \
    if (controlled()) draw(RICERCAR_SITE());                  \
    return RICERCAR_BEHIND(name) arguments;                   \
  }

RICERCAR_GENERATOR(int, rand, (), ())
RICERCAR_GENERATOR(void, srand, (unsigned seed), (seed))
RICERCAR_GENERATOR(long, random, (), ())
RICERCAR_GENERATOR(void, srandom, (unsigned seed), (seed))
RICERCAR_GENERATOR(double, drand48, (), ())
RICERCAR_GENERATOR(long, lrand48, (), ())
RICERCAR_GENERATOR(long, mrand48, (), ())
RICERCAR_GENERATOR(void, srand48, (long seed), (seed))
RICERCAR_GENERATOR(unsigned short*, seed48, (unsigned short seed[3]), (seed))
RICERCAR_GENERATOR(void, lcong48, (unsigned short parameters[7]), (parameters))

RICERCAR_HOOK ssize_t getrandom(void* buffer, size_t size, unsigned flags) {
  if (!controlled()) return RICERCAR_BEHIND(getrandom)(buffer, size, flags);
  fill_randomly(buffer, size);
  return static_cast<ssize_t>(size);
}
RICERCAR_HOOK int getentropy(void* buffer, size_t size) {
  if (!controlled()) return RICERCAR_BEHIND(getentropy)(buffer, size);
  constexpr size_t limit = 256;
  if (size > limit) {
    errno = EIO;
    return -1;
  }
  fill_randomly(buffer, size);
  return 0;
}
RICERCAR_HOOK unsigned arc4random() noexcept {
  if (!controlled()) return RICERCAR_BEHIND(arc4random)();
  return static_cast<unsigned>(random_number() >> 32);
}
RICERCAR_HOOK void arc4random_buf(void* buffer, size_t size) noexcept {
  if (!controlled()) return RICERCAR_BEHIND(arc4random_buf)(buffer, size);
  fill_randomly(buffer, size);
}
RICERCAR_HOOK unsigned arc4random_uniform(unsigned bound) noexcept {
  if (!controlled()) return RICERCAR_BEHIND(arc4random_uniform)(bound);
  return static_cast<unsigned>(((random_number() >> 32) * bound) >> 32);
}

// std::random_device, by the names that the C++ library gives to the members that draw a number: it
// may ask the processor, which no other hook would see.
#define RICERCAR_RANDOM_DEVICE(name)                                       \
  RICERCAR_HOOK unsigned name(void* device) {                              \
    if (controlled()) return static_cast<unsigned>(random_number() >> 32); \
    return RICERCAR_BEHIND(name)(device);                                  \
  }

RICERCAR_RANDOM_DEVICE(_ZNSt13random_device9_M_getvalEv)
RICERCAR_RANDOM_DEVICE(_ZNSt13random_device16_M_getval_pretr1Ev)

// The runtime's own copy of the C++ library refers to this member, and would bring definitions of
// the two members above along with it. The runtime makes no random devices.
RICERCAR_BODY void _ZNSt13random_device7_M_initEPKcm(void*, const char*, size_t) {
  RICERCAR_CHECK(!"the runtime makes a random device");
}
