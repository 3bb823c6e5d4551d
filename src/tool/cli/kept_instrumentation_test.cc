#include "cli/kept_instrumentation.h"

#include <gtest/gtest.h>

namespace ricercar::inline cli {
namespace {

Command kept(const Command& arguments) { return keep_instrumentation(arguments).arguments; }
std::size_t notes(const Command& arguments) { return keep_instrumentation(arguments).notes.size(); }

TEST(KeptInstrumentation, EverySpellingOfLinkTimeOptimisationIsLeftOut) {
  for (const char* option : {"-flto", "-flto=auto", "-flto=thin", "-flto=full", "-flto=8",
                             "-flto-partition=none", "-ffat-lto-objects", "-fno-fat-lto-objects",
                             "-fwhole-program", "-fwhole-program-vtables"}) {
    EXPECT_EQ(kept({"-O2", option, "a.cc"}), (Command{"-O2", "a.cc"})) << option;
    EXPECT_EQ(notes({option}), 1U) << option;
  }
}

TEST(KeptInstrumentation, SwitchingLinkTimeOptimisationOffIsNoMatter) {
  EXPECT_EQ(kept({"-fno-lto", "a.cc"}), (Command{"-fno-lto", "a.cc"}));
  EXPECT_EQ(notes({"-fno-lto", "a.cc"}), 0U);
}

TEST(KeptInstrumentation, ThreadStaysInstrumentedAndOtherSanitizersCanBeSwitchedOff) {
  EXPECT_EQ(kept({"-fno-sanitize=thread", "a.cc"}), (Command{"a.cc"}));
  EXPECT_EQ(kept({"-fno-sanitize=undefined,thread", "a.cc"}),
            (Command{"-fno-sanitize=undefined", "a.cc"}));
  EXPECT_EQ(kept({"-fno-sanitize=thread,vptr"}), (Command{"-fno-sanitize=vptr"}));
  EXPECT_EQ(kept({"-fno-sanitize=alignment"}), (Command{"-fno-sanitize=alignment"}));
  EXPECT_EQ(notes({"-fno-sanitize=alignment"}), 0U);
}

TEST(KeptInstrumentation, SwitchingAllOffTakesBackWhatStandsBefore) {
  EXPECT_EQ(kept({"-fsanitize=address", "-fno-sanitize=all", "-fsanitize=undefined", "a.cc"}),
            (Command{"-fsanitize=undefined", "a.cc"}));
  EXPECT_EQ(notes({"-fno-sanitize=all"}), 1U);
}

TEST(KeptInstrumentation, PartsOfTheInstrumentationCannotBeRemoved) {
  for (const char* option :
       {"-fno-sanitize-thread-memory-access", "-fno-sanitize-thread-atomics",
        "-fno-sanitize-thread-func-entry-exit", "-fsanitize-ignorelist=list",
        "-fsanitize-blacklist=list", "--param=tsan-instrument-func-entry-exit=0"}) {
    EXPECT_EQ(kept({option, "a.cc"}), (Command{"a.cc"})) << option;
    EXPECT_EQ(notes({option}), 1U) << option;
  }
  EXPECT_EQ(kept({"-mllvm", "-tsan-instrument-memory-accesses=0", "a.cc"}), (Command{"a.cc"}));
  EXPECT_EQ(kept({"--param", "tsan-instrument-func-entry-exit=0", "a.cc"}), (Command{"a.cc"}));
  EXPECT_EQ(kept({"-mllvm", "-inline-threshold=3", "a.cc"}),
            (Command{"-mllvm", "-inline-threshold=3", "a.cc"}));
}

TEST(KeptInstrumentation, AnOptionThatComesTwiceIsNotedOnce) {
  EXPECT_EQ(keep_instrumentation({"-flto", "a.cc", "-flto"}).notes,
            (std::vector<std::string>{
                "-flto is left out: link-time optimisation would remove the instrumentation"}));
}

}  // namespace
}  // namespace ricercar::inline cli
