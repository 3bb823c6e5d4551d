// Priorities that name parts of the program: `ricercar run --strategy bestfirst:priority=...`.
#include <nlohmann/json.hpp>

#include "support/tool.h"

namespace ricercar::test {
namespace {

constexpr const char* two_sections = "priorities/two_sections.cc";

class PrioritiesTest : public ToolTest {
 protected:
  // How many executions it takes to the bug.
  static int executions(const std::string& path, const std::string& specification) {
    const Finished finished = tool({"run", "--executions", "1000", "--json", "-", "--strategy",
                                    "bestfirst:" + specification, path});
    EXPECT_EQ(finished.status, 1) << finished.error;
    return nlohmann::json::parse(finished.output)["executions"];
  }
};

TEST_F(PrioritiesTest, FindABugSoonInTheMethodThatIsNamed) {
  const std::string path = program(two_sections);
  EXPECT_EQ(executions(path, "space=all,priority=pb"), 24);
  for (const std::string name : {"pop", "Stack::pop", "work::Stack::pop", "::work::Stack::pop",
                                 "Stack<int>::pop", "push+pop"}) {
    EXPECT_EQ(executions(path, "space=all,priority=method=" + name + "+pb"), 3) << name;
  }
}

TEST_F(PrioritiesTest, FindABugSoonAtTheVariableThatIsNamed) {
  const std::string path = program(two_sections);
  for (const std::string name :
       {"stack", "work::stack", "::work::stack", "stack.mutex_", "Stack::mutex_"}) {
    const int found = executions(path, "space=all,priority=var=" + name + "+pb");
    EXPECT_EQ(found, 3) << name;
  }
}

TEST_F(PrioritiesTest, FindABugSoonThatFollowsAPattern) {
  EXPECT_EQ(executions(program(two_sections), "space=all,priority=pattern+pb"), 3);
}

TEST_F(PrioritiesTest, FindTheMethodWhateverTheCompilerMadeOfIt) {
  const std::string source = std::string(RICERCAR_TESTS) + "/" + two_sections;
  for (const std::string optimisation : {"-O0", "-O1", "-O2", "-O3"}) {
    for (const std::string compiler : {"", "--clang"}) {
      Words words = {"c++", "-std=c++20", optimisation, source, "-o", "variant"};
      if (!compiler.empty()) words.insert(std::next(words.begin()), compiler);
      ASSERT_EQ(tool(words).status, 0);
      EXPECT_EQ(executions("./variant", "space=all,priority=method=pop+pb"), 3)
          << compiler << optimisation;
    }
  }
}

TEST_F(PrioritiesTest, LeaveTheScheduleOfABugAsItIs) {
  const std::string path = program(two_sections);
  executions(path, "space=all,priority=method=pop+pb");
  expect(tool({"replay", "--times", "3", "ricercar-out/bug-1.json"}), 1, {"3 of 3", "same trace"});
}

}  // namespace
}  // namespace ricercar::test
