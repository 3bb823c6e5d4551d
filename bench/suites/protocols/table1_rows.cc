#include "suites/protocols/table1_rows.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

namespace ricercar::bench {
namespace {

using Words = std::vector<std::string>;

std::map<std::string, Words> read_paper(const std::string& path) {
  std::map<std::string, Words> rows;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string row;
    words >> row;
    for (std::string word; words >> word;) rows[row].push_back(word);
  }
  return rows;
}

Words split(const std::string& text) {
  Words words;
  std::istringstream stream(text);
  for (std::string word; std::getline(stream, word, ',');) words.push_back(word);
  return words;
}

std::string name_of(const std::string& argument) { return argument.substr(0, argument.find('=')); }

// So much more of everything that makes the program longer.
Words longer(const Bug& bug, int more) {
  Words arguments = bug.arguments;
  for (std::string& argument : arguments) {
    const std::string name = name_of(argument);
    if (std::find(bug.lengths.begin(), bug.lengths.end(), name) == bug.lengths.end()) continue;
    const int base = std::stoi(argument.substr(name.size() + 1));
    argument = name + "=" + std::to_string(base + more);
  }
  return arguments;
}

std::uint64_t median_steps(const Searcher& searcher, const Bug& bug, Words arguments) {
  std::erase_if(arguments, [](const std::string& argument) { return name_of(argument) == "bug"; });
  std::vector<std::uint64_t> steps;
  for (int seed = 1; seed <= 11; ++seed) {
    const SearchResult result =
        searcher.search({bug.program, arguments, "random", seed, {1, 60}, 1});
    if (result.found()) throw std::runtime_error(bug.row + ": the correct version has a bug");
    steps.push_back(result.steps);
  }
  std::nth_element(steps.begin(), steps.begin() + 5, steps.end());
  return steps[5];
}

}  // namespace

std::string Bug::size() const {
  std::string text;
  for (const std::string& argument : arguments) {
    if (std::find(lengths.begin(), lengths.end(), name_of(argument)) == lengths.end()) continue;
    text += (text.empty() ? "" : " ") + argument;
  }
  return text;
}

std::vector<Bug> read_bugs(const std::string& suite) {
  const auto paper = read_paper(suite + "/paper.txt");
  std::vector<Bug> bugs;
  std::ifstream file(suite + "/bugs.txt");
  if (!file) throw std::runtime_error("there is no " + suite + "/bugs.txt");
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    Bug bug;
    std::string lengths;
    words >> bug.row >> bug.program >> lengths;
    if (lengths != "-") bug.lengths = split(lengths);
    for (std::string word; words >> word;) bug.arguments.push_back(word);
    if (const auto found = paper.find(bug.row); found != paper.end()) bug.paper = found->second;
    bugs.push_back(std::move(bug));
  }
  return bugs;
}

void fix_size(const Searcher& searcher, Bug& bug) {
  const int most = bug.lengths.empty() ? 0 : most_tens;
  for (int tens = 0; tens <= most; ++tens) {
    const Words arguments = longer(bug, 10 * tens);
    bug.steps = median_steps(searcher, bug, arguments);
    if (bug.steps < wanted_steps && tens < most) continue;
    bug.arguments = arguments;
    return;
  }
}

}  // namespace ricercar::bench
