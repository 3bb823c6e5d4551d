// Programs that the timer inside of their process cannot interrupt.
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <string>
#include <thread>

namespace {

volatile int counter;

long raw_call(long call, long first = 0, long second = 0, long third = 0, long fourth = 0) {
  long result;
  register long r10 asm("r10") = fourth;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(call), "D"(first), "S"(second), "d"(third), "r"(r10)
               : "rcx", "r11", "memory");
  return result;
}

[[noreturn]] void loop() {
  for (;;) counter = counter + 1;
}

[[noreturn]] void wait_for_ever() {
  for (;;) raw_call(SYS_pause);
}

void block_all() {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, nullptr);
  for (int i = 1; i < 65; ++i) signal(i, SIG_IGN);
}

void block_all_raw() {
  const unsigned long all = ~0UL;
  raw_call(SYS_rt_sigprocmask, SIG_BLOCK, reinterpret_cast<long>(&all), 0, sizeof all);
}

void get_stuck(const std::string& how) {
  if (how == "masked") block_all();
  if (how == "masked_raw") {
    block_all_raw();
    wait_for_ever();
  }
  if (how == "stopped") raise(SIGSTOP);
  if (how == "stopped_raw") raw_call(SYS_kill, raw_call(SYS_getpid), SIGSTOP);
  if (how == "filtered") prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
  if (how == "left_raw") raw_call(SYS_exit, 0);
  if (how == "handler") {
    struct sigaction action = {};
    action.sa_handler = [](int) { wait_for_ever(); };
    sigfillset(&action.sa_mask);
    sigaction(SIGUSR1, &action, nullptr);
    raise(SIGUSR1);
  }
  loop();
}

}  // namespace

int main(int, char** arguments) {
  const std::string how = arguments[1];
  std::thread thread([&] { get_stuck(how); });
  thread.join();
  return 0;
}
