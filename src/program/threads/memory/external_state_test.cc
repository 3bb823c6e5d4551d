#include "threads/memory/external_state.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <string>

#include "threads/memory/memory_fixture.h"
#include "threads/memory/restart_test.h"

namespace ricercar::inline threads {
namespace {

int temporary_file(const char* contents) {
  char path[] = "/tmp/ricercar-test-XXXXXX";
  const int file = mkstemp(path);
  unlink(path);
  const auto size = static_cast<ssize_t>(strlen(contents));
  REQUIRE(write(file, contents, strlen(contents)) == size);
  lseek(file, 0, SEEK_SET);
  return file;
}

bool is_open(int number) { return fcntl(number, F_GETFD) >= 0; }

TEST(ExternalState, ClosesWhatAnExecutionOpened) {
  int expected = -1;  // on the stack, which is not restored
  restarted(3000, [&] {
    const int file = open("/dev/null", O_RDWR);
    REQUIRE(file >= 0 && file < 20);
    if (expected < 0) expected = file;
    REQUIRE(file == expected);
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    REQUIRE(fopen("/dev/null", "r") != nullptr);
    std::ifstream stream("/dev/null");
    REQUIRE(stream.good());
    REQUIRE(eventfd(0, 0) >= 0);
    REQUIRE(dup(file) >= 0);
  });
}

TEST(ExternalState, OpensAgainWhatAnExecutionClosed) {
  in_child([] {
    const int file = temporary_file("abc");
    dup2(file, 0);
    fixture::take();
    for (int i = 0; i < 100; ++i) {
      REQUIRE(is_open(0) && is_open(1) && is_open(2));
      char buffer[8];
      REQUIRE(read(0, buffer, sizeof buffer) == 3);
      dup2(open("/dev/null", O_RDONLY), 1);
      fclose(stdin);
      closefrom(2);
      REQUIRE(!is_open(0) && !is_open(2));
      fixture::restore();
    }
  });
}

TEST(ExternalState, PutsTheOffsetOfStandardInputBack) {
  in_child([] {
    dup2(temporary_file("first line\nsecond line\n"), 0);
    fixture::take();
    for (int i = 0; i < 100; ++i) {
      std::string line;
      REQUIRE(std::getline(std::cin, line) && line == "first line");
      char text[100];
      REQUIRE(fgets(text, sizeof text, stdin) == nullptr || text[0] == 's');
      fixture::restore();
    }
  });
}

TEST(ExternalState, PutsTheStatusFlagsBack) {
  in_child([] {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    fixture::take();
    for (int i = 0; i < 10; ++i) {
      REQUIRE((fcntl(ends[0], F_GETFL) & O_NONBLOCK) == 0);
      fcntl(ends[0], F_SETFL, O_NONBLOCK);
      fixture::restore();
    }
  });
}

TEST(ExternalState, PutsFolderAndUmaskBack) {
  char before[4096];
  ASSERT_NE(getcwd(before, sizeof before), nullptr);
  restarted(10, [&] {
    char now[4096];
    REQUIRE(getcwd(now, sizeof now) != nullptr && strcmp(now, before) == 0);
    REQUIRE(chdir("/") == 0);
    REQUIRE(umask(0123) != 0123);
  });
}

TEST(ExternalState, PutsSignalsBack) {
  restarted(100, [] {
    struct sigaction action {};
    REQUIRE(sigaction(SIGUSR1, nullptr, &action) == 0 && action.sa_handler == SIG_DFL);
    REQUIRE(signal(SIGUSR2, SIG_IGN) == SIG_DFL);
    action.sa_handler = [](int) {};
    REQUIRE(sigaction(SIGUSR1, &action, nullptr) == 0);
    sigset_t set;
    REQUIRE(sigprocmask(SIG_BLOCK, nullptr, &set) == 0 && !sigismember(&set, SIGUSR1));
    sigfillset(&set);
    REQUIRE(pthread_sigmask(SIG_SETMASK, &set, nullptr) == 0);
    REQUIRE(sigprocmask(SIG_BLOCK, nullptr, &set) == 0 && sigismember(&set, SIGUSR1));
    static char stack[65536];
    stack_t before;
    const stack_t mine = {stack, 0, sizeof stack};
    REQUIRE(sigaltstack(&mine, &before) == 0 && before.ss_sp != stack);
  });
}

TEST(ExternalState, TheRuntimesSignalsStayItsOwn) {
  restarted(10, [] {
    struct sigaction action {};
    REQUIRE(sigaction(SIGSEGV, nullptr, &action) == 0 && action.sa_handler == SIG_DFL);
    REQUIRE(signal(SIGSEGV, SIG_IGN) == SIG_DFL);
    REQUIRE(signal(SIGSEGV, SIG_IGN) == SIG_IGN);
    sigset_t set;
    sigfillset(&set);
    sigprocmask(SIG_SETMASK, &set, nullptr);
    // Writes to protected pages of libc go on being handled.
    srand(1);
    setenv("RICERCAR_TEST", "1", 1);
    char* text = strdup("a b");
    strtok(text, " ");
  });
}

TEST(ExternalState, MappingsHaveTheSameAddressesAndAreUnmapped) {
  in_child([] {
    fixture::take();
    char* first = nullptr;
    for (int i = 0; i < 100; ++i) {
      auto* memory = static_cast<char*>(
          mmap(nullptr, 100000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
      REQUIRE(memory != MAP_FAILED);
      if (first == nullptr) first = memory;
      REQUIRE(memory == first && memory[99999] == 0);
      memory[99999] = 1;
      auto* moved = static_cast<char*>(mremap(memory, 100000, 300000, MREMAP_MAYMOVE));
      REQUIRE(moved != MAP_FAILED && moved[99999] == 1 && moved[299999] == 0);
      REQUIRE(mprotect(moved, 4096, PROT_NONE) == 0);
      REQUIRE(munmap(moved, 300000) == 0);
      fixture::restore();
    }
    REQUIRE(fixture::fork_reason() == nullptr);
  });
}

TEST(ExternalState, TheProgramBreakGoesBack) {
  void* first = nullptr;
  restarted(10, [&] {
    if (first == nullptr) first = sbrk(0);
    REQUIRE(sbrk(0) == first);
    auto* memory = static_cast<char*>(sbrk(100000));
    REQUIRE(memory != reinterpret_cast<void*>(-1) && memory[5000] == 0);
    memory[5000] = 1;
  });
}

TEST(ExternalState, ProtectionOfHeapMemoryGoesBack) {
  restarted(10, [] {
    void* page = aligned_alloc(4096, 8192);
    memset(page, 1, 8192);
    REQUIRE(mprotect(page, 4096, PROT_NONE) == 0);
    REQUIRE(fixture::fork_reason() == nullptr);
  });
}

TEST(ExternalState, PutsResourceLimitsBack) {
  in_child([] {
    rlimit before, now;
    // Nobody in particular may not raise a hard limit again.
    REQUIRE(getuid() != 0 || setuid(65534) == 0);
    getrlimit(RLIMIT_NOFILE, &before);
    fixture::take();
    for (const rlim_t wanted : {before.rlim_cur - 1, before.rlim_cur - 2}) {
      const rlimit soft = {wanted, before.rlim_max};
      const rlimit hard = {wanted - 1, wanted};
      REQUIRE(setrlimit(RLIMIT_NOFILE, &soft) == 0);
      REQUIRE(prlimit(0, RLIMIT_NOFILE, nullptr, &now) == 0);
      REQUIRE(now.rlim_cur == wanted && now.rlim_max == before.rlim_max);
      REQUIRE(prlimit(getpid(), RLIMIT_NOFILE, &hard, &now) == 0 && now.rlim_cur == wanted);
      REQUIRE(getrlimit(RLIMIT_NOFILE, &now) == 0);
      REQUIRE(now.rlim_cur == wanted - 1 && now.rlim_max == wanted);
      fixture::restore();
      REQUIRE(getrlimit(RLIMIT_NOFILE, &now) == 0);
      REQUIRE(now.rlim_cur == before.rlim_cur && now.rlim_max == before.rlim_max);
    }
    REQUIRE(fixture::fork_reason() == nullptr);
  });
}

TEST(ExternalState, PutsGroupsBackAndKnowsThatTheSameUserIsNoChange) {
  in_child([] {
    gid_t before[64], now[64];
    const int count = getgroups(64, before);
    const gid_t other = 12345;
    fixture::take();
    const bool may = setgroups(1, &other) == 0;
    REQUIRE(!may || (getgroups(64, now) == 1 && now[0] == other));
    REQUIRE(setgid(getgid()) == 0 && setuid(getuid()) == 0);
    fixture::restore();
    REQUIRE(getgroups(64, now) == count && std::equal(now, now + count, before));
    REQUIRE(fixture::fork_reason() == nullptr);
  });
}

TEST(ExternalState, SaysWhatNeedsAFork) {
  const auto reason_of = [](auto body) {
    in_child([&] {
      fixture::take();
      body();
      fixture::restore();
      REQUIRE(fixture::fork_reason() != nullptr);
    });
  };
  if (getuid() == 0) reason_of([] { REQUIRE(setgid(65534) == 0); });
  reason_of([] { REQUIRE(dlopen("libresolv.so.2", RTLD_NOW) != nullptr); });
  reason_of([] {
    const int file = temporary_file("x");
    mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  });
  reason_of([] {
    static char data[3 * 4096];
    const auto page = (reinterpret_cast<std::uintptr_t>(data) + 4095) / 4096 * 4096;
    mprotect(reinterpret_cast<void*>(page), 4096, PROT_READ | PROT_WRITE);
  });
}

TEST(ExternalState, NoticesMappingsThatPassedNoHook) {
  in_child([] {
    fixture::take();
    for (int i = 0; i < 5000; ++i) {
      syscall(SYS_mmap, 0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      fixture::restore();
    }
    REQUIRE(fixture::fork_reason() != nullptr);
  });
}

TEST(ExternalState, DescriptorsThatPassedNoHookAreClosedInTheEnd) {
  in_child([] {
    fixture::take();
    for (int i = 0; i < 10000; ++i) {
      if (i % 16 == 0) REQUIRE(syscall(SYS_dup, 0) >= 0);
      fixture::restore();
      if (i % 1024 == 1023) REQUIRE(syscall(SYS_dup, 0) < 100);
    }
  });
}

TEST(ExternalState, AnExecutionThatChangesNothingNeedsNoFork) {
  in_child([] {
    fixture::take();
    for (int i = 0; i < 100; ++i) {
      std::string text = "x";
      printf("%s", text.c_str());
      fixture::restore();
    }
    REQUIRE(fixture::fork_reason() == nullptr);
  });
}

}  // namespace
}  // namespace ricercar::inline threads
