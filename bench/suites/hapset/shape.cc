#include "suites/hapset/shape.h"

#include "suites/hapset/columns.h"

namespace ricercar::bench {
namespace {

struct PaperFigure {
  double runs;
  std::string time;  // seconds, TO or no

  bool is_found() const { return time.find_first_not_of("0123456789.") == std::string::npos; }
};

bool has_figure(const PlantedBug& bug, const Search& search) {
  return search.paper >= 0 && bug.paper[static_cast<std::size_t>(search.paper)] != "-";
}

PaperFigure paper_figure(const PlantedBug& bug, const Search& search) {
  const std::string& figure = bug.paper[static_cast<std::size_t>(search.paper)];
  const std::size_t slash = figure.find('/');
  return {std::stod(figure.substr(0, slash)), figure.substr(slash + 1)};
}

void add(std::string& to, const std::string& difference) {
  to += (to.empty() ? "" : "; ") + ("**" + difference + "**");
}

}  // namespace

std::string shape(const PlantedBug& bug, const std::vector<Search>& searches,
                  const std::function<Measured(const Search&)>& measure) {
  std::string differences;
  for (const Search& search : searches) {
    if (!has_figure(bug, search)) continue;
    const PaperFigure paper = paper_figure(bug, search);
    const Measured own = measure(search);
    if (own.is_found() != paper.is_found()) {
      add(differences, search.title + (own.is_found() ? " finds it" : " does not find it"));
    }
    if (search.paper == algorithm5.paper) continue;
    const PaperFigure hapset = paper_figure(bug, algorithm5);
    const Measured own_hapset = measure(algorithm5);
    const bool is_behind_there = !paper.is_found() || hapset.runs < paper.runs;
    const bool is_behind_here =
        own_hapset.is_found() && (!own.is_found() || own_hapset.runs < own.runs);
    if (is_behind_there && !is_behind_here && own.is_found()) {
      add(differences, search.title + " needs no more runs than HaPSet");
    }
  }
  return differences.empty() ? "yes" : differences;
}

std::string paper_text(const PlantedBug& bug, const Search& search) {
  if (!has_figure(bug, search)) return "";
  const PaperFigure figure = paper_figure(bug, search);
  return "; " + format("%.0f", figure.runs) + " (" + figure.time +
         (figure.is_found() ? " s)" : ")");
}

}  // namespace ricercar::bench
