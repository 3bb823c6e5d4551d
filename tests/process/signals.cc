// A thread that sees `x` in the middle of two writes ends the process, in the way that the first
// argument names, with the signal that the second one names. Some schedules do, some do not.
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

namespace {

std::atomic<int> x;
std::string way;
int number;
pthread_t main_thread;

// Past every hook.
long raw_call(long call, long first = 0, long second = 0) {
  long result;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(call), "D"(first), "S"(second)
               : "rcx", "r11", "memory");
  return result;
}

void end_process() {
  if (way == "raise") raise(number);
  if (way == "kill") kill(getpid(), number);
  if (way == "group") kill(0, number);
  if (way == "killpg") killpg(getpgrp(), number);
  if (way == "tgkill") tgkill(getpid(), gettid(), number);
  if (way == "syscall") syscall(SYS_tgkill, getpid(), gettid(), number);
  if (way == "syscall_kill") syscall(SYS_kill, getpid(), number);
  if (way == "pthread_kill") pthread_kill(pthread_self(), number);
  if (way == "other_thread") pthread_kill(main_thread, number);
  if (way == "sigqueue") sigqueue(getpid(), number, {});
  if (way == "raw") raw_call(SYS_kill, raw_call(SYS_getpid), number);
  if (way == "default_again") {
    signal(number, SIG_IGN);
    raise(number);
    if (signal(number, SIG_DFL) != SIG_IGN) _exit(9);
    raise(number);
  }
  if (way == "exit") raw_call(SYS_exit_group, number);
  if (way == "ignored") {
    if (signal(number, SIG_IGN) != SIG_DFL) _exit(9);
    raise(number);
  }
  if (way == "handled") {
    struct sigaction action = {};
    action.sa_handler = [](int) {};
    struct sigaction old = {};
    sigaction(number, &action, &old);
    if (old.sa_handler != SIG_DFL) _exit(9);
    raise(number);
  }
}

}  // namespace

int main(int, char** arguments) {
  way = arguments[1];
  number = std::atoi(arguments[2]);
  main_thread = pthread_self();
  std::thread writer([] {
    x = 1;
    x = 0;
  });
  std::thread reader([] {
    if (x == 1) end_process();
  });
  writer.join();
  reader.join();
  return 0;
}
