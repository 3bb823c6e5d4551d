// A folder with the schedules of bugs that were found once. They are replayed before a search, with
// any build of the program: decisions say who runs next and what it does, so they mean the same for
// as long as the program synchronises as it did. Where it does not, the replay notices and says so.
#pragma once

#include <string>
#include <vector>

#include "cli/bug_report.h"

namespace ricercar::inline cli {

struct CorpusReplay {
  std::vector<CorpusEntry> entries;
  std::vector<BugReport> bugs;  // those that came again, explained
  std::uint64_t steps = 0;      // of all replays
  double seconds = 0;
  bool interrupted = false;
};

class Corpus {
 public:
  // Makes the folder if there is none. Throws UsageError unless files can be made in it.
  explicit Corpus(std::string folder);

  // All schedules of this program with these arguments, in the order of their names. `options`: for
  // the reports of those that came again; their label is that of the first.
  CorpusReplay replay(const Program& program, const ProgramInput& input,
                      const BugReportOptions& options) const;

  // Keeps a bug that was found and saved. Throws UsageError if it cannot.
  void add(const BugSummary& bug) const;

 private:
  std::string folder_;
};

// The same kind of bug at the same places.
bool is_same_bug(const BugSummary& one, const BugSummary& other);

}  // namespace ricercar::inline cli
