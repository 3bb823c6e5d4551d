// What Raft promises (figure 3 of the paper), as monitors.
#pragma once

#include <map>

#include "messages.h"

namespace raft {

// At most one leader in a term.
struct ElectionSafety : ricercar::Monitor {
  std::map<Term, MachineId> leaders;

  struct Watching;

  static void define(ricercar::Definition<ElectionSafety>& monitor) {
    monitor.state<Watching>().on(&ElectionSafety::elected);
  }

  void elected(const Elected& election) {
    const auto [leader, is_first] = leaders.try_emplace(election.term, election.server);
    require(is_first || leader->second == election.server, "two leaders in one term");
  }
};

// What is committed stays: every later leader has it, and every server applies the same entry at
// the same place.
struct StateMachineSafety : ricercar::Monitor {
  std::map<Index, Entry> committed;
  std::map<Index, Term> committed_in;  // the term of the first leader that did it

  struct Watching;

  static void define(ricercar::Definition<StateMachineSafety>& monitor) {
    monitor.state<Watching>()
        .on(&StateMachineSafety::elected)
        .on(&StateMachineSafety::commit)
        .on(&StateMachineSafety::applied);
  }

  void elected(const Elected& election) {
    for (const auto& [index, entry] : committed) {
      const bool is_there = index <= static_cast<Index>(election.log.size()) &&
                            election.log[static_cast<std::size_t>(index) - 1] == entry;
      require(is_there || election.term < committed_in[index],
              "a new leader does not have a committed entry");
    }
  }

  void commit(const Committed& commit) {
    const auto [known, is_first] = committed.try_emplace(commit.index, commit.entry);
    require(is_first || known->second == commit.entry, "two entries committed at one index");
    committed_in.try_emplace(commit.index, commit.term);
  }

  void applied(const Applied& applied) {
    const auto known = committed.find(applied.index);
    require(known != committed.end(), "an entry was applied that nobody has committed");
    require(known->second == applied.entry, "two servers applied different entries at one index");
  }
};

// A client is answered once its command is committed, not before.
struct AnswersAreCommitted : ricercar::Monitor {
  std::vector<Command> committed;

  struct Watching;

  static void define(ricercar::Definition<AnswersAreCommitted>& monitor) {
    monitor.state<Watching>().on(&AnswersAreCommitted::commit).on(&AnswersAreCommitted::answered);
  }

  void commit(const Committed& commit) { committed.push_back(commit.entry.command); }

  void answered(const Answered& answer) {
    for (const Command& command : committed) {
      if (command == answer.command) return;
    }
    require(false, "a client was answered before its command was committed");
  }
};

}  // namespace raft
