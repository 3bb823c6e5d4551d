#include "threads/memory/snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <fstream>
#include <iostream>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "threads/memory/memory_fixture.h"
#include "threads/memory/restart_test.h"

namespace ricercar::inline threads {
namespace {

// Compilers know that two blocks differ, and what is in a block that nobody else knows of.
std::uintptr_t hidden(void* block) {
  asm volatile("" : "+r"(block)::"memory");
  return reinterpret_cast<std::uintptr_t>(block);
}

int initialised = 42;
int zero;
char medium[8000];
thread_local int of_thread = 7;
std::map<int, std::string> table;
std::vector<int> numbers{1, 2, 3};
char* const early_block = strdup("early");

TEST(Snapshot, PutsGlobalsBack) {
  restarted(100, [] {
    REQUIRE(initialised == 42 && zero == 0 && medium[7999] == 0);
    initialised = zero = 5;
    medium[7999] = 1;
  });
}

TEST(Snapshot, PutsThreadLocalsBack) {
  restarted(100, [] {
    REQUIRE(of_thread == 7);
    of_thread = 8;
    REQUIRE(errno != 4711);
    errno = 4711;
  });
}

TEST(Snapshot, PutsContainersAndTheirHeapBack) {
  restarted(1000, [] {
    REQUIRE(table.empty() && numbers.size() == 3 && numbers[2] == 3);
    for (int i = 0; i < 20; ++i) table[i] = std::string(100, 'x');
    numbers.assign(1000, 9);
    early_block[0] = 'E';
    free(early_block);
  });
}

TEST(Snapshot, GivesTheSameAddressesEachTime) {
  in_child([] {
    fixture::take();
    const std::uintptr_t first = hidden(malloc(100));
    for (int i = 0; i < 100; ++i) {
      fixture::restore();
      REQUIRE(hidden(malloc(100)) == first);
      std::vector<int> grows;
      for (int k = 0; k < 1000; ++k) grows.push_back(k);
    }
  });
}

TEST(Snapshot, PutsTheStateOfLibcBack) {
  restarted(100, [] {
    static char text[] = "a,b";
    REQUIRE(rand() == 1804289383);
    REQUIRE(strcmp(strtok(text, ","), "a") == 0);
    REQUIRE(strcmp(setlocale(LC_ALL, nullptr), "C") == 0);
    REQUIRE(setlocale(LC_ALL, "C.UTF-8") != nullptr);
    REQUIRE(getenv("RICERCAR_TEST") == nullptr);
    setenv("RICERCAR_TEST", "1", 1);
    REQUIRE(getenv("RICERCAR_TEST") != nullptr);
    REQUIRE(atexit([] { _exit(3); }) == 0);
    time_t now = 0;
    REQUIRE(gmtime(&now)->tm_year == 70);
    REQUIRE(strlen(strerror(4711)) > 0);
    REQUIRE(strsignal(99) != nullptr);
  });
}

TEST(Snapshot, PutsTheBuffersOfStdioBack) {
  in_child([] {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    dup2(ends[1], 1);
    fixture::take();
    for (int i = 0; i < 1000; ++i) {
      printf("never flushed");
      std::cout << "nor this";
      fixture::restore();
    }
    printf("x");
    fflush(stdout);
    char buffer[10];
    REQUIRE(read(ends[0], buffer, sizeof buffer) == 1);
  });
}

TEST(Snapshot, PutsArgumentsAndEnvironmentStringsBack) {
  restarted(10, [] {
    char* path = getenv("PATH");
    REQUIRE(path != nullptr && path[0] != '!');
    path[0] = '!';
  });
}

TEST(Snapshot, PutsThreadSpecificValuesBack) {
  restarted(100, [] {
    pthread_key_t key;
    REQUIRE(pthread_key_create(&key, nullptr) == 0);
    REQUIRE(pthread_getspecific(key) == nullptr);
    pthread_setspecific(key, &key);
  });
}

char large[64 << 20];
char large_initialised[1 << 20] = {1, 2, 3};

TEST(Snapshot, PutsALargeArrayBack) {
  restarted(100, [] {
    for (std::size_t i = 0; i < sizeof large; i += 1 << 20) REQUIRE(large[i] == 0);
    for (std::size_t i = 0; i < sizeof large; i += 1 << 22) large[i] = 1;
    REQUIRE(large_initialised[0] == 1 && large_initialised[2] == 3 && large_initialised[9999] == 0);
    large_initialised[0] = large_initialised[9999] = 9;
  });
}

TEST(Snapshot, PutsALargeEarlyBlockBack) {
  in_child([] {
    std::vector<char> early(3 << 20, 5);
    std::vector<char> middle(100000, 6);
    hidden(early.data());
    hidden(middle.data());
    fixture::take();
    for (int i = 0; i < 100; ++i) {
      REQUIRE(early[0] == 5 && early[2 << 20] == 5 && middle[0] == 6 && middle[99999] == 6);
      early[0] = early[2 << 20] = middle[0] = middle[99999] = 1;
      fixture::restore();
    }
  });
}

// The kernel does not fault on a protected page: it fails.
TEST(Snapshot, SystemCallsMayWriteToTheProgramsData) {
  restarted(10, [] {
    const int file = open("/proc/self/exe", 0);
    REQUIRE(read(file, medium, sizeof medium) == sizeof medium);
    REQUIRE(read(file, large + 5000, 100000) == 100000);
    REQUIRE(read(file, large_initialised + 5000, 100000) == 100000);
    REQUIRE(read(file, early_block, 3) == 3);
    close(file);
  });
}

long resident_kilobytes() {
  std::ifstream file("/proc/self/statm");
  long size = 0;
  long resident = 0;
  file >> size >> resident;
  return resident * 4;
}

TEST(Snapshot, MemoryStaysFlatOverManyRestores) {
  in_child([] {
    fixture::take();
    long early = 0;
    for (int i = 0; i < 10000; ++i) {
      std::vector<std::string>(100, std::string(200, 'x'));
      auto* leak = new char[10000];
      leak[5000] = 1;
      memset(malloc(i % 100 == 0 ? 8 << 20 : 200000), 1, 200000);
      fixture::restore();
      if (i == 1000) early = resident_kilobytes();
    }
    REQUIRE(resident_kilobytes() < early + 500);
  });
}

TEST(Snapshot, RealThreadsCanBeCreatedBeforeAndBetweenRestores) {
  in_child([] {
    for (int i = 0; i < 5; ++i) REQUIRE(fixture::park_thread());
    fixture::take();
    for (int i = 0; i < 1000; ++i) {
      if (i % 20 == 0) REQUIRE(fixture::park_thread());
      zero += 1;
      REQUIRE(zero == 1);
      fixture::restore();
    }
    for (int i = 0; i < 5; ++i) REQUIRE(fixture::park_thread());
    bool ran = false;
    std::thread([&ran] { ran = true; }).join();
    REQUIRE(ran);
  });
}

TEST(Snapshot, AThreadThatEndsAfterARestoreDoesNotEndTheProcess) {
  in_child([] {
    fixture::take();
    for (int i = 0; i < 100; ++i) {
      bool ran = false;
      {
        std::thread thread([&ran] { ran = true; });
        thread.join();
      }
      REQUIRE(ran);
      fixture::restore();
    }
  });
}

TEST(Snapshot, WorksInAForkedChild) {
  in_child([] {
    fixture::take();
    zero = 1;
    fixture::restore();
    const long child = syscall(SYS_fork);
    if (child == 0) {
      for (int i = 0; i < 100; ++i) {
        REQUIRE(zero == 0 && large[100] == 0 && rand() == 1804289383);
        zero = large[100] = 1;
        fixture::restore();
      }
      _exit(5);
    }
    int status = 0;
    REQUIRE(waitpid(static_cast<pid_t>(child), &status, 0) == child);
    REQUIRE(WIFEXITED(status) && WEXITSTATUS(status) == 5);
    REQUIRE(zero == 0);
  });
}

TEST(Snapshot, ExceptionsWork) {
  restarted(100, [] {
    bool caught = false;
    try {
      throw std::runtime_error("thrown");
    } catch (const std::exception& error) {
      caught = std::string(error.what()) == "thrown";
    }
    REQUIRE(caught);
  });
}

TEST(Snapshot, ASmallProgramHasFewHotPages) {
  in_child([] {
    fixture::take();
    for (int i = 0; i < 100; ++i) {
      table[1] = "x";
      printf("x");
      fixture::restore();
    }
    const SnapshotStats stats = fixture::stats();
    dprintf(1, "bytes %zu copied %zu hot pages %zu protected pages %zu tracked %zu\n", stats.bytes,
            stats.copied_bytes, stats.hot_pages, stats.protected_pages, stats.tracked_bytes);
    REQUIRE(stats.hot_pages <= 12);
    REQUIRE(stats.protected_pages >= 20);
  });
}

}  // namespace
}  // namespace ricercar::inline threads
