// Which code of a program and of its libraries was compiled under control. What was not is
// invisible to the search: no choice points and no races in it. The libraries of the system are
// left out. Not thread-safe (libelf, libdw).
#pragma once

#include <string>
#include <vector>

#include "model/recording.h"

namespace ricercar::inline report {

struct UninstrumentedCode {
  std::string file;     // a source file, as it was named to its compiler; empty: not known
  std::string module;   // the program or library that it is in
  std::string problem;  // why the file is not known; empty: it is
  // Atomic instructions in the inline assembly of a file that is instrumented: where.
  std::vector<std::string> assembly = {};
};

// In the order of linking. `more_libraries` are what the program loads while it runs.
std::vector<UninstrumentedCode> uninstrumented_code(
    const std::string& program, const std::vector<std::string>& more_libraries = {});

// In one file alone: a program or a shared library.
std::vector<UninstrumentedCode> uninstrumented_code_in(const std::string& module);

// "queue.c (libqueue.so)", with paths as they are seen from this folder.
std::string describe(const UninstrumentedCode& code, const std::string& program);

// A list of the first few of them, for a sentence.
std::string list_of(const std::vector<UninstrumentedCode>& code, const std::string& program);

// Libraries without instrumentation that were at work between the two accesses of a data race. They
// may order the accesses in a way that is not seen, by atomics of their own. Not thread-safe
// (libelf).
// The names of their files, without folders. The C and C++ libraries are left out: what they do is
// known. `program`: the path of the executable, which a recording leaves empty.
std::vector<std::string> unseen_libraries(const Recording& recording, const std::string& program);

}  // namespace ricercar::inline report
