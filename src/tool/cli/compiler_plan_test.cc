#include "cli/compiler_plan.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/error.h"

namespace ricercar::inline cli {
namespace {

Toolchain example() {
  Toolchain toolchain;
  toolchain.compiler = "g++";
  toolchain.include_folder = "/inc";
  toolchain.library_folder = "/lib";
  toolchain.program_archive = "/lib/libricercar_program.a";
  toolchain.scratch_folder = "/tmp/s";
  return toolchain;
}

std::string joined(const Command& command) {
  std::string text;
  for (const std::string& word : command) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::vector<std::string> plan(const Command& arguments, const Toolchain& toolchain = example()) {
  std::vector<std::string> result;
  for (const Command& command : plan_commands(toolchain, arguments)) {
    result.push_back(joined(command));
  }
  return result;
}

const std::string archive =
    "-Wl,--whole-archive /lib/libricercar_program.a -Wl,--no-whole-archive "
    "-Wl,--wrap=_ZN7testing8internal12AssertHelperC1ENS_14TestPartResult4TypeEPKciS5_"
    ",--wrap=_ZNK7testing8internal12AssertHelperaSERKNS_7MessageE ";
const std::string runtime =
    "-L/lib -Wl,--push-state,--no-as-needed -lricercar -Wl,--pop-state -Wl,-rpath,/lib "
    "-Wl,--build-id -pthread ";

using Commands = std::vector<std::string>;

TEST(CompilerPlan, CompilingOnlyInstruments) {
  EXPECT_EQ(plan({"-c", "a.cc", "-o", "a.o", "-O2"}),
            Commands{"g++ -fsanitize=thread -ftrivial-auto-var-init=pattern -Wno-tsan -g -c a.cc "
                     "-o a.o -O2 -I/inc"});
}

TEST(CompilerPlan, AssemblyIsNotInstrumented) {
  EXPECT_EQ(plan({"-c", "a.s"}), Commands{"g++ -g -c a.s -I/inc"});
  const Commands both = plan({"a.cc", "b.S"});
  ASSERT_EQ(both.size(), 3U);
  EXPECT_NE(both[0].find("-fsanitize=thread"), std::string::npos);
  EXPECT_EQ(both[1].find("-fsanitize=thread"), std::string::npos);
}

TEST(CompilerPlan, LinkingOnlyDoesNotInstrument) {
  EXPECT_EQ(plan({"a.o", "b.o", "-lfoo", "-o", "prog"}),
            Commands{"g++ " + archive + runtime + "a.o b.o -lfoo -o prog"});
}

TEST(CompilerPlan, CompilingAndLinkingIsSplit) {
  EXPECT_EQ(
      plan({"-O1", "a.cc", "x.o", "sub/b.cc", "-lfoo", "-o", "prog"}),
      (Commands{"g++ -fsanitize=thread -ftrivial-auto-var-init=pattern -Wno-tsan -g -O1 -I/inc -c "
                "-o /tmp/s/0-a.o a.cc",
                "g++ -fsanitize=thread -ftrivial-auto-var-init=pattern -Wno-tsan -g -O1 -I/inc -c "
                "-o /tmp/s/1-b.o sub/b.cc",
                "g++ " + archive + runtime + "-O1 /tmp/s/0-a.o x.o /tmp/s/1-b.o -lfoo -o prog"}));
}

TEST(CompilerPlan, SourcesOfOneNameDoNotOverwriteEachOther) {
  const Commands commands = plan({"one/a.cc", "two/a.cc"});
  ASSERT_EQ(commands.size(), 3U);
  EXPECT_NE(commands[0].find("/tmp/s/0-a.o"), std::string::npos);
  EXPECT_NE(commands[1].find("/tmp/s/1-a.o"), std::string::npos);
}

TEST(CompilerPlan, ADebugOptionOfTheUserIsKept) {
  EXPECT_EQ(
      plan({"-g3", "-c", "a.cc"}),
      Commands{
          "g++ -fsanitize=thread -ftrivial-auto-var-init=pattern -Wno-tsan -g3 -c a.cc -I/inc"});
}

TEST(CompilerPlan, ClangGetsNoOptionOfGcc) {
  Toolchain clang = example();
  clang.compiler = "clang++";
  clang.is_clang = true;
  EXPECT_EQ(
      plan({"-c", "a.cc"}, clang),
      Commands{"clang++ -fsanitize=thread -ftrivial-auto-var-init=pattern -g -c a.cc -I/inc"});
}

TEST(CompilerPlan, PreprocessingAndAssemblyAreOneCommand) {
  for (const char* option : {"-E", "-S", "-M", "-MM", "-fsyntax-only"}) {
    const Commands commands = plan({option, "a.cc"});
    ASSERT_EQ(commands.size(), 1U) << option;
    EXPECT_EQ(commands[0].find("-lricercar"), std::string::npos) << option;
  }
}

TEST(CompilerPlan, LinkOptionsAreKeptFromTheCompiler) {
  const Commands commands =
      plan({"-Wl,-z,now", "-L.", "-lfoo", "-Xlinker", "-s", "-rdynamic", "-no-pie", "a.cc"});
  ASSERT_EQ(commands.size(), 2U);
  EXPECT_EQ(commands[0],
            "g++ -fsanitize=thread -ftrivial-auto-var-init=pattern -Wno-tsan -g -I/inc -c -o "
            "/tmp/s/0-a.o a.cc");
  EXPECT_TRUE(
      commands[1].ends_with("-Wl,-z,now -L. -lfoo -Xlinker -s -rdynamic -no-pie /tmp/s/0-a.o"))
      << commands[1];
}

TEST(CompilerPlan, ValuesOfOptionsAreNotInputs) {
  const Commands commands =
      plan({"-I", "a.cc", "-D", "b.cc", "-include", "c.cc", "-isystem", "d.cc", "main.cc"});
  ASSERT_EQ(commands.size(), 2U);
  EXPECT_NE(commands[0].find("-I a.cc -D b.cc -include c.cc -isystem d.cc"), std::string::npos);
}

TEST(CompilerPlan, ALanguageOptionHoldsForTheInputsBehindIt) {
  EXPECT_EQ(plan({"-x", "c++", "-c", "code", "-o", "a.o"}),
            Commands{"g++ -fsanitize=thread -ftrivial-auto-var-init=pattern -Wno-tsan -g -c -x c++ "
                     "code -x none -o a.o -I/inc"});
  const Commands commands = plan({"-x", "c++", "code", "-x", "none", "a.o"});
  ASSERT_EQ(commands.size(), 2U);
  EXPECT_TRUE(commands[0].ends_with("-c -o /tmp/s/0-code.o -x c++ code -x none")) << commands[0];
  EXPECT_TRUE(commands[1].ends_with("/tmp/s/0-code.o a.o")) << commands[1];
}

TEST(CompilerPlan, StandardInputIsASource) {
  const Commands commands = plan({"-xc++", "-", "-o", "prog"});
  ASSERT_EQ(commands.size(), 2U);
  EXPECT_TRUE(commands[0].ends_with("-x c++ - -x none")) << commands[0];
}

TEST(CompilerPlan, WordsBehindTwoDashesAreInputs) {
  const Commands commands = plan({"-o", "prog", "--", "-a.cc"});
  ASSERT_EQ(commands.size(), 2U);
  EXPECT_TRUE(commands[1].ends_with("-o prog /tmp/s/0--a.o")) << commands[1];
}

TEST(CompilerPlan, ASharedLibraryGetsTheRuntimeButNotTheProgramsPart) {
  EXPECT_EQ(plan({"-shared", "-fPIC", "a.o", "-o", "liba.so"}),
            Commands{"g++ " + runtime + "-shared -fPIC a.o -o liba.so"});
}

TEST(CompilerPlan, ARelocatableLinkGetsNothing) {
  EXPECT_EQ(plan({"-r", "a.o", "-o", "b.o"}), Commands{"g++ -r a.o -o b.o"});
}

TEST(CompilerPlan, AQuestionIsPassedOn) {
  EXPECT_EQ(plan({"--version"}), Commands{"g++ --version"});
  EXPECT_EQ(plan({"-print-file-name=libc.so"}), Commands{"g++ -print-file-name=libc.so"});
  EXPECT_EQ(plan({}), Commands{"g++"});
}

TEST(CompilerPlan, DependencyFilesDoNotGoToTheScratchFolder) {
  const Commands commands = plan({"-MD", "src/a.cc", "-o", "prog"});
  EXPECT_NE(commands[0].find("-MF a.d -MT a.o"), std::string::npos) << commands[0];
  const Commands named = plan({"-MD", "-MF", "x.d", "src/a.cc"});
  EXPECT_EQ(named[0].find("a.d"), std::string::npos) << named[0];
}

TEST(CompilerPlan, AHeaderIsPrecompiled) {
  EXPECT_EQ(plan({"all.h", "-o", "all.h.gch"}).size(), 1U);
}

std::string refusal(const Command& arguments) {
  try {
    plan(arguments);
    return {};
  } catch (const UsageError& error) {
    return error.what();
  }
}

TEST(CompilerPlan, WhatCannotBeControlledIsRefused) {
  EXPECT_NE(refusal({"-static", "a.cc"}).find("-static is not possible"), std::string::npos);
  EXPECT_NE(refusal({"-m32", "a.cc"}).find("64-bit"), std::string::npos);
  EXPECT_NE(refusal({"-fsanitize=thread", "a.cc"}).find("leave out"), std::string::npos);
  EXPECT_NE(refusal({"-fsanitize=undefined,address", "a.cc"}).find("does not mix"),
            std::string::npos);
  EXPECT_EQ(refusal({"-fsanitize=undefined", "a.cc"}), "");
  EXPECT_EQ(refusal({"-static-libgcc", "a.cc"}), "");
}

class ResponseFile : public testing::Test {
 protected:
  ResponseFile() { std::filesystem::create_directories(folder_); }
  ~ResponseFile() override { std::filesystem::remove_all(folder_); }
  std::string put(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return "@" + (folder_ / name).string();
  }
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("ricercar-response-" + std::to_string(getpid()));
};

TEST_F(ResponseFile, IsReplacedByItsWords) {
  const std::string inner = put("inner", "b.cc");
  const std::string outer = put("outer", "-DX='a b' \"c d\"\n\te\\ f " + inner + "\n");
  EXPECT_EQ(expand_response_files({"-c", outer, "z"}),
            (Command{"-c", "-DX=a b", "c d", "e f", "b.cc", "z"}));
}

TEST_F(ResponseFile, ThatDoesNotExistIsAWord) {
  EXPECT_EQ(expand_response_files({"@nothing"}), Command{"@nothing"});
}

TEST_F(ResponseFile, ThatIncludesItselfIsRefused) {
  const std::string name = "@" + (folder_ / "loop").string();
  put("loop", name);
  EXPECT_THROW(expand_response_files({name}), UsageError);
}

TEST(CompilerPlan, AProgramOfMachinesIsNotInstrumented) {
  Toolchain toolchain = example();
  toolchain.world = WorldKind::machines;
  const std::string library =
      " -I/inc -L/lib -lricercar_machines -Wl,-rpath,/lib -Wl,--build-id -pthread";
  EXPECT_EQ(plan({"a.cc", "-o", "a"}, toolchain),
            (Command{"g++ -g -std=c++20 a.cc -o a" + library}));
  EXPECT_EQ(plan({"-std=c++23", "-g1", "a.o", "b.cc"}, toolchain),
            (Command{"g++ -std=c++23 -g1 a.o b.cc" + library}));
  EXPECT_EQ(plan({"-c", "a.cc"}, toolchain), (Command{"g++ -g -std=c++20 -c a.cc -I/inc"}));
  toolchain.has_network = true;
  EXPECT_EQ(plan({"a.o"}, toolchain),
            (Command{"g++ -g -std=c++20 a.o -I/inc -L/lib -lricercar_network -lricercar_machines "
                     "-Wl,-rpath,/lib -Wl,--build-id -pthread"}));
}

}  // namespace
}  // namespace ricercar::inline cli
