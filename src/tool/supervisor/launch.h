// Starting the program under test so that every start is the same: addresses are not randomised,
// the stack begins at the same place whatever the environment holds, and no descriptor of the
// caller but the three standard ones is visible. Not thread-safe.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace ricercar::inline supervisor {

struct Launch {
  std::string program;                   // absolute path
  std::vector<std::string> arguments;    // without the program's name
  std::vector<std::string> environment;  // NAME=VALUE, instead of what the tool has
  std::string folder;                    // where it runs; empty: where the tool does
  int control = -1;                      // descriptor of the shared memory
  int cluster = -1;                      // of a node: that of the memory of its cluster
  std::uint32_t node = 0;                // and its number there
  int input = -1;                        // the program's standard streams
  int output = -1;
  int error = -1;
};

// Starts the program in a process group of its own. Throws UsageError if it cannot be started.
pid_t start_worker(const Launch& launch);

// Becomes gdb with the program loaded, in the same setting as start_worker gives it; every line of
// `commands` is given to gdb first. Returns only by throwing UsageError: gdb is missing.
[[noreturn]] void become_debugger(const Launch& launch, const std::vector<std::string>& commands);

// The same in a process of its own, which takes the terminal if the program's input is one.
pid_t start_debugger(const Launch& launch, const std::vector<std::string>& commands);

// What the program reads: a file as it is, a pipe copied into memory so that every execution can
// read it from the start, nothing in place of a terminal or a pipe that stays silent.
class ProgramInput {
 public:
  explicit ProgramInput(int descriptor);
  // For a person, or what stands for one: whatever it is.
  static ProgramInput as_it_is(int descriptor) { return {descriptor, AsItIs()}; }
  // The same for another process, which reads it by itself.
  static ProgramInput again(const ProgramInput& input);
  ~ProgramInput();
  ProgramInput(const ProgramInput&) = delete;
  ProgramInput& operator=(const ProgramInput&) = delete;

  int rewound() const;  // the descriptor, back at the start

 private:
  struct AsItIs {};
  ProgramInput(int descriptor, AsItIs);
  ProgramInput(int own_descriptor, off_t start) : descriptor_(own_descriptor), start_(start) {}

  int descriptor_;
  off_t start_ = 0;
};

}  // namespace ricercar::inline supervisor
