// The thesis on Dara (V. Anand, 2020), chapter 6, for the world of nodes; and the planted bugs of
// bench/suites/nodes.
//
//   dara_bench TOOL SUITE CLUSTERS PROGRAMS FOLDER DOCS [PART...] [--seeds=N] [--kept]
//              [SYSTEM[:BUG]...]
//
// TOOL is ricercar; SUITE has bugs.txt; CLUSTERS is what the target nodes_suite has built; PROGRAMS
// has those of this benchmark; what it makes goes to FOLDER, sections and plots to DOCS. A PART is
// strategies, costs, speed or bugs; without one all are run. With a SYSTEM only the table of bugs
// is made, and nothing is written to DOCS. The table of bugs goes on where it was interrupted:
// FOLDER/bugs.txt has what was searched; remove it to begin anew. With --kept the table is made of
// that alone.
#include <cstdio>
#include <exception>
#include <fstream>
#include <set>
#include <stdexcept>

#include "dara/dara.h"
#include "engine/measure.h"

namespace ricercar::bench {

namespace {

struct Part {
  std::string name;
  std::string title;
  std::string (*run)(const DaraSetup&);
};

const Part parts[] = {
    {"strategies", "Dara: Figures 6.5, 6.6 and 6.16, strategies", strategy_figures},
    {"costs", "Dara: Figures 6.8 to 6.14, what watching costs", cost_figures},
    {"speed", "Dara: Figures 6.7 and 6.15, speed", speed_figures},
    {"bugs", "Dara: planted bugs", bug_table},
};

bool is_part(const std::string& word) {
  for (const Part& part : parts) {
    if (part.name == word) return true;
  }
  return false;
}

void run(const DaraSetup& setup, const std::set<std::string>& wanted) {
  std::filesystem::create_directories(setup.work);
  for (const Part& part : parts) {
    if (!wanted.empty() && !wanted.contains(part.name)) continue;
    const std::string text =
        "## " + part.title + "\n\n" + machine() + "\n\n" + part.run(setup) + "\n";
    std::printf("\n%s", text.c_str());
    std::fflush(stdout);
    if (setup.only.empty()) write_section(setup.docs / "BENCHMARKS.md", "dara " + part.name, text);
  }
}

int run_from(const std::vector<std::string>& words) {
  namespace fs = std::filesystem;
  DaraSetup setup;
  setup.tool = fs::absolute(words[0]);
  fs::path* const places[] = {&setup.suite, &setup.clusters, &setup.programs, &setup.work,
                              &setup.docs};
  for (std::size_t i = 0; i < std::size(places); ++i) *places[i] = fs::absolute(words[i + 1]);
  std::set<std::string> wanted;
  for (std::size_t i = 6; i < words.size(); ++i) {
    if (words[i].starts_with("--seeds=")) {
      setup.seeds = std::stoi(words[i].substr(8));
    } else if (words[i] == "--kept") {
      setup.searches = false;
    } else if (is_part(words[i])) {
      wanted.insert(words[i]);
    } else {
      setup.only.push_back(words[i]);
      wanted = {"bugs"};
    }
  }
  run(setup, wanted);
  return 0;
}

}  // namespace
}  // namespace ricercar::bench

int main(int count, char** arguments) {
  if (count < 7) {
    std::fprintf(stderr,
                 "usage: dara_bench TOOL SUITE CLUSTERS PROGRAMS FOLDER DOCS [PART...] "
                 "[--seeds=N] [--kept] [SYSTEM[:BUG]...]\n");
    return 2;
  }
  try {
    return ricercar::bench::run_from({arguments + 1, arguments + count});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "dara_bench: %s\n", error.what());
    return 1;
  }
}
