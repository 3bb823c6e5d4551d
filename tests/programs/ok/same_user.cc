// Two threads become who the process is already, and set its groups and limits: nothing changes,
// and no other thread has to answer.
#include <grp.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cassert>
#include <mutex>
#include <thread>

namespace {

std::mutex mutex;

void become_oneself() {
  const std::lock_guard guard(mutex);  // so that there are several orders
  gid_t groups[64];
  const int count = getgroups(64, groups);
  setgroups(static_cast<size_t>(count), groups);  // not everybody may
  assert(setgid(getgid()) == 0 && setuid(getuid()) == 0);
  assert(setegid(getegid()) == 0 && seteuid(geteuid()) == 0);
  assert(setreuid(getuid(), geteuid()) == 0 && setresgid(getgid(), getegid(), getegid()) == 0);
}

void lower_a_limit() {
  rlimit limit;
  assert(getrlimit(RLIMIT_NOFILE, &limit) == 0);
  limit.rlim_cur = limit.rlim_max = limit.rlim_cur - 1;
  assert(setrlimit(RLIMIT_NOFILE, &limit) == 0);
}

}  // namespace

int main() {
  std::thread other(become_oneself);
  become_oneself();
  other.join();
  lower_a_limit();
}
