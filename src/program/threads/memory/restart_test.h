// Helpers for tests that restart the process they run in. Each test has a child of its own, because
// a snapshot is taken once in a process.
#pragma once

#include <gtest/gtest.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "threads/memory/memory_fixture.h"

namespace ricercar::inline threads {

[[noreturn]] inline void fail(const char* what, int line) {
  dprintf(2, "line %d: not so: %s\n", line, what);
  _exit(1);
}

#define REQUIRE(condition) ((condition) ? static_cast<void>(0) : fail(#condition, __LINE__))

// Runs body() in a forked child; the child must come to its end.
template <typename Body>
void in_child(Body body) {
  fflush(nullptr);
  const long child = syscall(SYS_fork);
  if (child == 0) {
    body();
    _exit(77);
  }
  int status = 0;
  waitpid(static_cast<pid_t>(child), &status, 0);
  ASSERT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  ASSERT_EQ(WEXITSTATUS(status), 77);
}

// The same body again and again: each time must be as the first time.
template <typename Body>
void restarted(int times, Body body) {
  in_child([&] {
    fixture::take();
    for (int i = 0; i < times; ++i) {
      body();
      fixture::restore();
    }
  });
}

}  // namespace ricercar::inline threads
