// What tests see of a runtime whose decisions are scripted: one execution, or one search, of a
// function in the test's own process. The runtime has a C++ library of its own inside, so plain
// data crosses the border.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {

struct ScriptedRun {
  // In: which task performs its operation at each choice point, then which alternative is taken at
  // each value point. Where the script is over the running task goes on, or the first one that can.
  const std::uint32_t* tasks = nullptr;
  std::size_t task_count = 0;
  const std::uint32_t* values = nullptr;
  std::size_t value_count = 0;
  bool spurious_wakeups = false;
  // Out. Lines, one for each step that was decided or could have been ("T1 locks"), and one for
  // each choice point (its options: "T1 T2", "3 values").
  char trace[8192] = "";
  char offered[8192] = "";
  char outcome[64] = "";  // "ok", "deadlock", ...
  char message[1024] = "";
  std::uint64_t nanoseconds = 0;  // of virtual time that have passed
  bool followed = true;           // false: the script names a task that was no option
};

__attribute__((visibility("default"))) void ricercar_run_script(ScriptedRun* run,
                                                                void (*body)(void*), void* context);

struct ScriptedSearch {
  const char* strategy = "dfs";
  std::uint64_t max_executions = 0;
  bool force_fork = false;
  bool keep_going = false;
  // Out.
  bool came_to_its_end = false;  // no other worker has to go on
  char status[16] = "";
  std::uint64_t executions = 0;
  std::uint64_t bugs = 0;
  char first_bug[64] = "";
  std::uint64_t restarts = 0;  // in this process
  bool complete = false;
  bool is_searching_afterwards = false;
};

__attribute__((visibility("default"))) void ricercar_search_script(ScriptedSearch* search,
                                                                   void (*body)(void*),
                                                                   void* context);
}
