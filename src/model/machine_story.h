// What machines did in one execution, and what they were at its end: records for reports, and the
// words for them. Machines name things themselves, so the texts are made where they run. Plain data
// with pointers to where the execution was recorded.
#pragma once

#include <cstdint>
#include <string>

namespace ricercar::inline model {

// X(kind): the name is what tools see.
#define RICERCAR_ACT_KINDS(X) \
  X(start)                    \
  X(handle)                   \
  X(receive)                  \
  X(send)                     \
  X(create)                   \
  X(announce)                 \
  X(start_timer)              \
  X(stop_timer)               \
  X(fire)                     \
  X(crash)                    \
  X(restart)                  \
  X(choose)                   \
  X(halt)                     \
  X(call)                     \
  X(arrive)                   \
  X(fault)                    \
  X(log)                      \
  X(invoke)                   \
  X(respond)                  \
  X(end)                      \
  X(fail)                     \
  X(note)

enum class ActKind : std::uint8_t {
#define RICERCAR_ENUMERATOR(name) name,
  RICERCAR_ACT_KINDS(RICERCAR_ENUMERATOR)
#undef RICERCAR_ENUMERATOR
};

const char* name_of(ActKind kind);
// What happens to nodes is told in words of its own.
constexpr bool is_told_in_words(ActKind kind) {
  return kind >= ActKind::call && kind != ActKind::log;
}

inline constexpr std::uint32_t no_machine = 0xffffffff;

struct RecordedAct {
  ActKind kind = ActKind::start;
  std::uint32_t machine = 0;
  std::uint32_t target = no_machine;  // who is sent to, created, crashed, ...
  const char* event = "";             // with its payload, as text; or all of its words
  const char* state = "";             // of the machine; of a log: the values
  std::uint32_t chosen = 0;
  std::uint32_t options = 0;
  // Of a node: the number of the act from which a message has come to it here, from 1 on; 0: none.
  std::uint64_t sent_by = 0;
  std::uint64_t steps = 0;  // of the trace, when it was told: those that led to it are among them
};

// A property of a cluster, and an answer that it gave when it was asked.
struct RecordedProperty {
  const char* name = "";
  const char* kind = "";  // always, eventually, ...
};

struct RecordedCheck {
  std::uint64_t act = 0;       // so many acts had happened
  std::uint32_t property = 0;  // its number
  bool is_violated = false;
};

// A basic block that a node has run through, where its program was compiled to say so.
struct RecordedBlock {
  std::uint32_t node = 0;
  const char* module = "";    // the path of the program or the library
  std::uint64_t address = 0;  // in that file: behind the call with which the block says so
  std::uint64_t times = 0;
};

enum class MachinePhase : std::uint8_t { running, receiving, halted, crashed, timer };

struct RecordedMachine {
  std::uint32_t number = 0;
  MachinePhase phase = MachinePhase::running;
  const char* name = "";       // Server#2
  const char* state = "";      // the one on top; empty: none
  const char* variables = "";  // as text
  const char* waiting = "";    // the events in its queue, with a space in front of each
  // Of a node: how often it had the turn, and how often it has begun again.
  std::uint64_t turns = 0;
  std::uint32_t restarts = 0;
};

// What a machine has become, after so many acts: told when a handler of it has come to its end or
// waits, when it is created, and when it crashes. The sends of the handler may still be ahead.
struct RecordedCondition {
  std::uint64_t acts = 0;
  std::uint32_t machine = 0;
  const char* state = "";      // the one on top; empty: none
  const char* variables = "";  // as text
};

// "sends Ping{1} to Server#2"
std::string words_of(const RecordedAct& act, const std::string& target);
// A line; empty for a timer.
std::string words_of(const RecordedMachine& machine);

}  // namespace ricercar::inline model
