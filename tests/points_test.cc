// Choice points at shared memory: what functions of the C library do to it is counted alike in the
// search and in its replays.
#include <gtest/gtest.h>

#include <string>

#include "support/tool.h"

namespace ricercar::test {
namespace {

class LibraryCall : public ToolTest, public testing::WithParamInterface<const char*> {
 protected:
  static std::string build(const std::string& level) {
    const std::string name = "calls" + level;
    tool({"cc", "-g", level, std::string(RICERCAR_TESTS) + "/points/library_calls.c", "-o", name,
          "-pthread"});
    return "./" + name;
  }
};

TEST_P(LibraryCall, AmongThePointsReplays) {
  for (const char* level : {"-O0", "-O1"}) {
    const std::string program = build(level);
    for (const char* strategy : {"mixed", "random"}) {
      expect(tool({"run", "--no-races", "--points", "shared", "--strategy", strategy, "--out",
                   "out", "--", program, GetParam()}),
             1, {"use after free", "1 bug found"});
      expect(tool({"replay", "-n", "3", "out/bug-1.json"}), 1, {"3 of 3 replays"});
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Way, LibraryCall,
                         testing::Values("memset", "memcpy", "memmove", "strcpy", "strncpy",
                                         "strlen", "memcmp", "strncmp", "struct", "realloc",
                                         "straddle"));

// A fork for each execution explores the same as restoring memory does.
class Forked : public ToolTest, public testing::WithParamInterface<const char*> {};

std::string after(const std::string& text, const std::string& key) {
  const std::size_t start = text.find(key);
  return start == std::string::npos ? "" : text.substr(start, text.find('\n', start) - start);
}

TEST_P(Forked, ASearchIsTheSame) {
  const std::string program = this->program("points/counters.cc");
  for (const char* points : {"shared", "memory"}) {
    const Words words = {"run",      "--no-races", "--points", points,  "--strategy",
                         GetParam(), "-n",         "400",      "--out", "out"};
    Words forked = words;
    forked.insert(forked.end(), {"--fork", "--", program});
    Words restored = words;
    restored.insert(restored.end(), {"--", program});
    const Finished with_fork = tool(forked);
    expect(with_fork, 0, {"no bug found"});
    const Finished without_fork = tool(restored);
    expect(without_fork, 0, {"no bug found"});
    const std::string coverage = after(with_fork.output, "  coverage ");
    EXPECT_FALSE(coverage.empty()) << last();
    EXPECT_EQ(coverage, after(without_fork.output, "  coverage ")) << points;
  }
}

INSTANTIATE_TEST_SUITE_P(Strategy, Forked,
                         testing::Values("mixed", "pb", "dpor", "bpor", "bestfirst", "dfs", "pct",
                                         "hapset"));

}  // namespace
}  // namespace ricercar::test
