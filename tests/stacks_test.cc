// The call stacks of a report are right to the last frame, however the program has come there.
#include <regex>
#include <sstream>

#include "support/tool.h"

namespace ricercar::test {
namespace {

constexpr int bug = 1;

struct Case {
  const char* name;
  const char* source;
  const char* way;
  std::vector<std::string> functions;  // innermost first, and nothing of the program in between
};

struct Build {
  const char* name;
  std::vector<std::string> options;
};

const Case cases[] = {
    {"Longjmp", "odd_stacks.c", "longjmp", {"target", "second_caller", "jumps", "odd"}},
    {"Handler", "odd_stacks.c", "handler", {"target", "second_caller", "handler", "raises", "odd"}},
    {"Context", "odd_stacks.c", "context", {"target", "second_caller", "in_coroutine"}},
    {"Callback",
     "odd_stacks.c",
     "callback",
     {"target", "compare", "second_sorter", "sorts", "odd"}},
    {"Alloca", "odd_stacks.c", "alloca", {"target", "grow", "grows", "odd"}},
    {"Recursion",
     "odd_stacks.c",
     "recursion",
     {"target", "descend", "descend", "descend", "descend", "recurses", "odd"}},
    {"Exception", "thrown_stacks.cc", "", {"target", "second_caller", "catches"}},
};

const Build builds[] = {
    {"Plain", {"-O0"}},
    {"Optimised", {"-O2"}},
    {"PlainClang", {"--clang", "-O0"}},
    {"OptimisedClang", {"--clang", "-O2"}},
};

class Stacks : public ToolTest, public testing::WithParamInterface<std::tuple<Case, Build>> {
 protected:
  static std::string compiled(const Case& what, const Build& build) {
    const std::string source = what.source;
    const bool is_c = source.ends_with(".c");
    const std::string name = source.substr(0, source.find('.')) + build.name;
    if (!known_.insert(name).second) return "./" + name;
    Words words = {is_c ? "cc" : "c++"};
    words.insert(words.end(), build.options.begin(), build.options.end());
    words.insert(words.end(), {is_c ? "-std=gnu11" : "-std=c++20",
                               std::string(RICERCAR_TESTS) + "/reports/" + source, "-o", name});
    EXPECT_EQ(tool(words).status, 0) << last();
    return "./" + name;
  }

  // The program's functions in the stack that begins with the first `innermost`.
  static Words stack_of(const std::string& report, const std::string& innermost) {
    const std::regex users("^ {6}([A-Za-z_]+) +[^ ]*stacks\\.cc?:[0-9]+ .*$");
    Words found;
    std::istringstream lines(report);
    for (std::string text; std::getline(lines, text);) {
      std::smatch match;
      if (!found.empty() && !text.starts_with("      ")) break;
      if (!std::regex_match(text, match, users)) continue;
      if (!found.empty() || match[1] == innermost) found.push_back(match[1]);
    }
    return found;
  }

 private:
  static inline std::set<std::string> known_;
};

TEST_P(Stacks, AreThatOfTheWrite) {
  const auto& [what, build] = GetParam();
  Words words = {"run", "--out", "out", compiled(what, build)};
  if (*what.way != '\0') words.push_back(what.way);
  const Finished found = tool(words);
  expect(found, bug, {"data race on `shared`"});
  EXPECT_EQ(stack_of(found.output, "target"), what.functions) << found.output;
}

INSTANTIATE_TEST_SUITE_P(Of, Stacks,
                         testing::Combine(testing::ValuesIn(cases), testing::ValuesIn(builds)),
                         [](const auto& chosen) {
                           return std::string(std::get<0>(chosen.param).name) +
                                  std::get<1>(chosen.param).name;
                         });

}  // namespace
}  // namespace ricercar::test
