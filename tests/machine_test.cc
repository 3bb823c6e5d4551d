// The machine that a program sees, from the outside: what cannot be controlled is said.
#include "support/tool.h"

namespace ricercar::test {
namespace {

class RandomInstructions : public ToolTest {};

TEST_F(RandomInstructions, AreNamedInTheSummary) {
  expect(tool({"run", "--out", "out", program("machine/random_instruction.cc")}), 0,
         {"random numbers (rdrand or rdseed", "std::random_device"});
}

TEST_F(RandomInstructions, AreNotSeenWhereThereAreNone) {
  const Finished finished = tool({"run", "--out", "out", program("programs/ok/random_numbers.cc")});
  EXPECT_EQ(finished.status, 0) << last();
  EXPECT_EQ(finished.output.find("rdrand"), std::string::npos) << last();
}

}  // namespace
}  // namespace ricercar::test
