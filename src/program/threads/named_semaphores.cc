#include "threads/named_semaphores.h"

#include <errno.h>

#include <algorithm>

#include "base/check.h"
#include "threads/attempted.h"
#include "threads/descriptor.h"
#include "threads/program_state.h"
#include "threads/real.h"

namespace ricercar::inline threads {
namespace {

sem_t* semaphore_at(const long* arguments) { return reinterpret_cast<sem_t*>(arguments[0]); }

long take_at_once(const long* arguments) {
  return real_sem_trywait(semaphore_at(arguments)) == 0 ? 0 : -errno;
}

// A call that does not wait.
template <typename Call>
int make_at_once(const char* name, std::uint64_t site, Call call) {
  announce(kernel_channel(), site, name);
  released_through(kernel_channel());
  const int result = call();
  acquired_through(kernel_channel());
  channel_changed();
  return result;
}

}  // namespace

void NamedSemaphores::add(sem_t* semaphore) {
  if (contains(semaphore)) return;
  RICERCAR_CHECK(count_ < most);
  all_[count_++] = semaphore;
}

void NamedSemaphores::remove(const sem_t* semaphore) {
  count_ = static_cast<std::uint32_t>(std::remove(all_, all_ + count_, semaphore) - all_);
}

bool NamedSemaphores::contains(const sem_t* semaphore) const {
  return std::find(all_, all_ + count_, semaphore) != all_ + count_;
}

bool is_kernel_semaphore(const sem_t* semaphore) {
  return program_state.named_semaphores.contains(semaphore);
}

int kernel_semaphore_wait(sem_t* semaphore, Wait wait, std::uint64_t deadline, std::uint64_t site) {
  Attempted call = {take_at_once, {reinterpret_cast<long>(semaphore)}, -EAGAIN};
  if (wait == Wait::never) {
    return make_at_once("sem_trywait", site,
                        [&] { return static_cast<int>(-take_at_once(call.arguments)); });
  }
  const std::uint64_t* until = wait == Wait::until_deadline ? &deadline : nullptr;
  return static_cast<int>(-make_attempted("sem_wait", call, site, until));
}

int kernel_semaphore_post(sem_t* semaphore, std::uint64_t site) {
  return make_at_once("sem_post", site, [&] { return real_sem_post(semaphore) == 0 ? 0 : errno; });
}

int kernel_semaphore_value(sem_t* semaphore, std::uint64_t site) {
  return make_at_once("sem_getvalue", site, [&] {
    int value = 0;
    real_sem_getvalue(semaphore, &value);
    return value;
  });
}

}  // namespace ricercar::inline threads
