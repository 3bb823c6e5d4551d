// What threads share besides memory: synchronisation objects and thread keys that end while they
// are used, files, memory that the C library and the kernel touch for them, and memory at two
// addresses.
#include "support/tool.h"

namespace ricercar::test {
namespace {

constexpr int bug = 1;
constexpr const char* lives = "objects/lives.cc";

class Lives : public ToolTest {
 protected:
  static Finished search(const std::string& strategy, const std::string& object,
                         const std::string& end) {
    return tool({"run", "--strategy", strategy, "--executions", "1000", "--out", "out",
                 program(lives), object, end});
  }
};

const char* const destroyable[] = {"mutex_lock",
                                   "mutex_trylock",
                                   "mutex_timedlock",
                                   "rwlock_read",
                                   "rwlock_write",
                                   "rwlock_tryread",
                                   "spin",
                                   "condition_signal",
                                   "condition_wait",
                                   "semaphore_post",
                                   "condition_broadcast",
                                   "semaphore_wait",
                                   "semaphore_trywait",
                                   "semaphore_value",
                                   "barrier",
                                   "c11_mutex",
                                   "c11_condition",
                                   "cxx_condition"};
const char* const only_freed[] = {"once", "cxx_mutex", "cxx_shared_mutex", "cxx_once"};

TEST_F(Lives, OfObjectsThatAreDestroyedEndTheirUse) {
  for (const char* object : destroyable) {
    SCOPED_TRACE(object);
    expect(search("dpor", object, "destroyed"), bug, {"lock misuse: ", "destroyed"});
  }
}

TEST_F(Lives, OfFreedObjectsEndTheirUse) {
  for (const char* object : destroyable) {
    SCOPED_TRACE(object);
    expect(search("pb", object, "freed"), bug, {"use after free: T0 ", "freed by T1"});
  }
  for (const char* object : only_freed) {
    SCOPED_TRACE(object);
    expect(search("pb", object, "freed"), bug, {"use after free: T0 ", "freed by T1"});
  }
}

TEST_F(Lives, AreSearchedByEveryStrategy) {
  for (const char* strategy :
       {"mixed", "dfs", "pb", "dpor", "bpor", "bestfirst", "pct", "random"}) {
    SCOPED_TRACE(strategy);
    expect(search(strategy, "condition_signal", "destroyed"), bug,
           {"lock misuse: T0 signals a condition variable that was destroyed"});
  }
}

TEST_F(Lives, ThatEndAfterTheLastUseAreFine) {
  for (const char* object : destroyable) {
    SCOPED_TRACE(object);
    expect(search("dpor", object, "alive"), 0, {"nothing is left to explore"});
  }
  for (const char* object : only_freed) {
    SCOPED_TRACE(object);
    expect(search("dpor", object, "alive"), 0, {"nothing is left to explore"});
  }
}

class Buffers : public ToolTest {
 protected:
  static Finished search(const std::string& call, const std::string& how) {
    return tool({"run", "--quiet", "--strategy", "dpor", "--out", "out",
                 program("objects/buffers.cc"), call, how});
  }
};

const char* const filling_calls[] = {
    "read",      "readv",       "pread",       "recv",    "send",     "write",  "pwrite",
    "writev",    "poll",        "epoll",       "fread",   "fgets",    "fwrite", "getline",
    "fputs",     "puts",        "printf",      "fprintf", "snprintf", "strcat", "sprintf",
    "vsnprintf", "sscanf_text", "sscanf_word", "strdup",  "strchr",   "strtol", "sscanf_number",
    "strtod",    "qsort",       "stat",        "fstat",   "getcwd",   "access", "clock_gettime",
    "readlink",  "open"};

TEST_F(Buffers, OfTheLibraryAndTheKernelRace) {
  for (const char* call : filling_calls) {
    SCOPED_TRACE(call);
    expect(search(call, "race"), bug, {"data race on "});
  }
}

TEST_F(Buffers, OfTheLibraryAndTheKernelMustNotBeFreed) {
  for (const char* call : filling_calls) {
    SCOPED_TRACE(call);
    expect(search(call, "freed"), bug, {"use after free: T1 "});
  }
}

TEST_F(Buffers, ThatAreUsedInTurnAreFine) {
  for (const char* call : filling_calls) {
    SCOPED_TRACE(call);
    expect(search(call, "ordered"), 0, {});
  }
}

class Files : public ToolTest {
 protected:
  static Finished search(const std::string& strategy, const std::string& meeting,
                         const std::string& how) {
    return tool({"run", "--strategy", strategy, "--executions", "20000", "--out", "out",
                 program("objects/files.cc"), meeting, how});
  }
};

const char* const meetings[] = {"create_and_access",   "stream_and_access", "rename_and_open",
                                "folder_and_open",     "write_and_status",  "truncate_and_read",
                                "shared_offset",       "contents",          "closed_twice",
                                "lock_without_waiting"};

TEST_F(Files, AreWhereThreadsMeet) {
  for (const char* meeting : meetings) {
    for (const char* strategy : {"dpor", "pb"}) {
      SCOPED_TRACE(std::string(meeting) + " " + strategy);
      expect(search(strategy, meeting, "freely"), bug, {"assertion `"});
    }
  }
}

TEST_F(Files, AreFineUnderALock) {
  for (const char* meeting : meetings) {
    SCOPED_TRACE(meeting);
    expect(search("dpor", meeting, "ordered"), 0, {"nothing is left to explore"});
  }
}

TEST_F(Files, LockThreadsOut) {
  for (const char* meeting : {"lock_file", "file_lock"}) {
    for (const char* strategy : {"dpor", "random"}) {
      SCOPED_TRACE(std::string(meeting) + " " + strategy);
      const Finished finished = tool({"run", "--strategy", strategy, "--executions", "300", "--out",
                                      "out", program("objects/files.cc"), meeting, "freely"});
      expect(finished, 0, {"no bug found"});
    }
  }
}

TEST_F(Files, AreNamedInTheReport) {
  expect(search("dpor", "create_and_access", "freely"), bug,
         {"access(\"meeting-point\")", "open(\"meeting-point\")"});
}

class Keys : public ToolTest {
 protected:
  static Finished search(const std::string& strategy, const std::string& meeting,
                         const std::string& how) {
    return tool({"run", "--strategy", strategy, "--executions", "20000", "--out", "out",
                 program("objects/keys.cc"), meeting, how});
  }
  static constexpr const char* exact[] = {"dfs", "pb", "dpor", "bpor", "bestfirst"};
  static constexpr const char* misused[] = {
      "get", "set", "c11_get", "c11_set", "checked", "deleted_by_other", "detached", "used_again"};
};

TEST_F(Keys, ThatAreDeletedMustNotBeUsed) {
  for (const char* meeting : misused) {
    for (const char* strategy : exact) {
      SCOPED_TRACE(std::string(meeting) + " " + strategy);
      expect(search(strategy, meeting, "freely"), bug,
             {"lock misuse: T", " uses a thread key that was deleted", " deleted it at"});
    }
  }
}

TEST_F(Keys, LoseTheirValuesWhenTheyAreDeleted) {
  for (const char* meeting : {"destructor", "before_main"}) {
    for (const char* strategy : exact) {
      SCOPED_TRACE(std::string(meeting) + " " + strategy);
      expect(search(strategy, meeting, "freely"), bug, {"assertion `", "deletes thread key"});
    }
  }
}

TEST_F(Keys, ThatAreDeletedAfterTheLastUseAreFine) {
  for (const char* meeting :
       {"get", "set", "c11_get", "c11_set", "checked", "used_again", "destructor", "before_main"}) {
    SCOPED_TRACE(meeting);
    expect(search("dpor", meeting, "joined"), 0, {"nothing is left to explore"});
  }
}

TEST_F(Keys, OfOneThreadConcernNobodyElse) {
  for (const char* strategy : exact) {
    SCOPED_TRACE(strategy);
    expect(search(strategy, "own_keys", "freely"), 0, {"nothing is left to explore"});
  }
}

class Aliases : public ToolTest {
 protected:
  static Finished search(const std::string& way, const std::string& what) {
    return tool(
        {"run", "--strategy", "dpor", "--out", "out", program("objects/aliases.cc"), way, what});
  }
  static constexpr const char* ways[] = {"memfd", "file", "segment", "part"};
};

TEST_F(Aliases, AreOneObjectOfAtomics) {
  for (const char* way : ways) {
    SCOPED_TRACE(way);
    expect(search(way, "atomics"), bug, {"assertion `"});
  }
}

TEST_F(Aliases, RaceAsOnePieceOfMemory) {
  for (const char* way : ways) {
    SCOPED_TRACE(way);
    expect(search(way, "plain"), bug, {"data race on "});
  }
}

TEST_F(Aliases, AreOneMutexAndOneSemaphore) {
  for (const char* what : {"mutex", "semaphore"}) {
    SCOPED_TRACE(what);
    expect(search("memfd", what), 0, {"nothing is left to explore"});
  }
}

}  // namespace
}  // namespace ricercar::test
