// What the model leaves out is named when a program does it, and then no search is complete.
#include <nlohmann/json.hpp>

#include "support/tool.h"

namespace ricercar::test {
namespace {

using Json = nlohmann::json;

class Unseen : public ToolTest {
 protected:
  static std::string build(const std::string& name) {
    Words words = {
        "cc", "-std=gnu11", "-O1", std::string(RICERCAR_TESTS) + "/unseen/" + name + ".c",
        "-o", name,         "-lm"};
    if (!std::filesystem::exists(in_folder(name))) {
      EXPECT_EQ(tool(words).status, 0) << last();
    }
    return "./" + name;
  }

  // What the summary for tools says.
  static Json search(const Words& program, const Words& options = {}) {
    Words words = {"run", "--strategy", "dfs", "--json", "summary.json", "--out", "out"};
    words.insert(words.end(), options.begin(), options.end());
    words.push_back("--");
    words.insert(words.end(), program.begin(), program.end());
    said_ = tool(words);
    EXPECT_EQ(said_.status, 0) << last();
    return Json::parse(read_file(in_folder("summary.json")));
  }

  static void expect_named(const Json& summary, const std::string& word) {
    EXPECT_EQ(summary["complete"], false) << last();
    ASSERT_EQ(summary["not_modelled"].size(), 1U) << last();
    const std::string named = summary["not_modelled"][0];
    EXPECT_NE(named.find(word), std::string::npos) << named;
    EXPECT_NE(said_.output.find("no bug found in what is modelled"), std::string::npos) << last();
    EXPECT_NE(said_.output.find("  unseen      the program "), std::string::npos) << last();
    EXPECT_EQ(said_.output.find("nothing is left"), std::string::npos) << last();
  }

  static void expect_nothing_named(const Json& summary) {
    EXPECT_EQ(summary["complete"], true) << last();
    EXPECT_TRUE(summary["not_modelled"].empty()) << last();
    EXPECT_NE(said_.output.find("nothing is left to explore"), std::string::npos) << last();
  }

 private:
  static inline Finished said_;
};

struct Way {
  const char* what;
  const char* word;  // of what is named; null: nothing is
  friend std::ostream& operator<<(std::ostream& out, const Way& way) { return out << way.what; }
};

class UnseenWay : public Unseen, public testing::WithParamInterface<Way> {};

TEST_P(UnseenWay, IsNamedIfItIsNotModelled) {
  const Json summary = search({build("unseen"), GetParam().what});
  if (GetParam().word == nullptr) {
    expect_nothing_named(summary);
  } else {
    expect_named(summary, GetParam().word);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Of, UnseenWay,
    testing::Values(Way{"nothing", nullptr}, Way{"output", nullptr},
                    Way{"stream under a lock", nullptr}, Way{"mapped", nullptr},
                    Way{"one stream", "through streams in several threads"},
                    Way{"one stream, read", "through streams in several threads"},
                    Way{"streams of one file", "through streams in several threads"},
                    Way{"many mappings", "more than 64 places"}, Way{"mremap", "mremap()"},
                    Way{"mapped and written", "a file that it has mapped"},
                    Way{"file for all", "what another process does"},
                    Way{"pwritev", "calls pwritev()"}, Way{"io_uring", "asynchronous"},
                    Way{"aio", "asynchronous"}, Way{"unlink by number", "through syscall()"},
                    Way{"localtime", "calls localtime()"}, Way{"localtime_r", nullptr},
                    Way{"wcscpy", "calls wcscpy()"}, Way{"rounding", "floating-point control word"},
                    Way{"robust", "robust"}));

TEST_F(Unseen, TheFirstPlaceIsNamed) {
  const Json summary = search({build("unseen"), "localtime"});
  ASSERT_EQ(summary["not_modelled"].size(), 1U) << last();
  const std::string named = summary["not_modelled"][0];
  EXPECT_NE(named.find("unseen.c:"), std::string::npos) << named;
}

TEST_F(Unseen, AForkForEachExecutionNamesTheSame) {
  expect_named(search({build("unseen"), "one stream"}, {"--fork"}), "through streams");
  expect_nothing_named(search({build("unseen"), "stream under a lock"}, {"--fork"}));
}

TEST_F(Unseen, SystemCallsByInstructionsAreFoundInTheProgram) {
  expect_named(search({build("own_system_call")}), "system calls by instructions of its own");
}

}  // namespace
}  // namespace ricercar::test
