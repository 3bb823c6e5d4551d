// The commands as a whole: their help, the completion scripts and the manual pages, which are
// stored in docs/man. RICERCAR_APPROVE=1 writes those anew.
#include "cli/app.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/help.h"

namespace ricercar::inline cli {
namespace {

class Commands : public testing::Test {
 protected:
  // Parses as one use of the tool; the words are separated by single spaces.
  static std::string parse_error(const std::string& line) {
    Invocation invocation;
    const std::unique_ptr<CLI::App> app = make_app(invocation);
    std::istringstream words(line);
    std::vector<std::string> arguments;
    for (std::string word; words >> word;) arguments.push_back(word);
    try {
      parse_and_run(*app, invocation, arguments);
      return {};
    } catch (const CLI::ParseError& error) {
      return explain_parse_error(*app, error);
    } catch (const UsageError& error) {
      return error.what();
    }
  }

  Invocation invocation_;
  std::unique_ptr<CLI::App> app_ = make_app(invocation_);
};

TEST_F(Commands, AllHaveExamples) {
  for (const CLI::App* command : commands_of(*app_)) {
    EXPECT_NE(command->help().find("Examples:\n  "), std::string::npos) << command->get_name();
    EXPECT_NE(command->help().find("Usage: ricercar " + command->get_name()), std::string::npos);
  }
}

TEST_F(Commands, SuggestTheNearestCommand) {
  EXPECT_EQ(parse_error("ruun ./program"),
            "there is no command 'ruun'; did you mean 'run'? (ricercar --help)");
}

TEST_F(Commands, SuggestTheNearestOption) {
  EXPECT_EQ(parse_error("replay --quite x.json"),
            "`ricercar replay` has no option '--quite'; did you mean '--quiet'? (ricercar replay "
            "--help)");
  EXPECT_EQ(
      parse_error("run --stategy=dfs ./program"),
      "`ricercar run` has no option '--stategy=dfs'; did you mean '--strategy'? (ricercar run "
      "--help)");
}

TEST_F(Commands, WithinCommandsAreSuggestedToo) {
  EXPECT_EQ(parse_error("hapset shwo x.sets"),
            "there is no command 'hapset shwo'; did you mean 'show'? (ricercar hapset --help)");
  EXPECT_EQ(parse_error("hapset merge a b --ot c -o d"),
            "`ricercar hapset merge` has no option '--ot'; did you mean '--out'? (ricercar hapset "
            "merge --help)");
  EXPECT_EQ(parse_error("hapset"),
            "say what to do: ricercar hapset show FILE, or ricercar hapset merge A B -o OUT");
}

TEST_F(Commands, LearnPairsOnlyWithAStrategyThatDoes) {
  EXPECT_EQ(parse_error("run --hapset x.sets ./nothing"),
            "--hapset needs a strategy that learns pairs: hapset, or bestfirst with "
            "priority=hapset");
  EXPECT_EQ(parse_error("run --strategy bestfirst:priority=pb --coverage x.html ./nothing"),
            "--coverage needs a strategy that learns pairs: hapset, or bestfirst with "
            "priority=hapset");
}

TEST_F(Commands, CheckNumbersInWords) {
  EXPECT_EQ(parse_error("run --executions 0 ./program"),
            "--executions: a whole number from 1 on is wanted, not '0'");
  EXPECT_EQ(parse_error("run --time -1 ./program"),
            "--time: a number of seconds greater than 0 is wanted, not '-1'");
  EXPECT_EQ(parse_error("run --seed -1 ./program"),
            "--seed: a whole number from 0 on is wanted, not '-1'");
}

TEST_F(Commands, NeedAProgram) {
  EXPECT_EQ(parse_error("run --seed 2"), "name the program to run: ricercar run ./program");
}

// The nearest strategy is suggested before the program is even looked at.
TEST_F(Commands, CheckTheStrategyFirst) {
  EXPECT_NE(parse_error("run --strategy rndom ./nothing").find("did you mean 'random'?"),
            std::string::npos);
  EXPECT_NE(parse_error("run --points atomics ./nothing").find("did you mean 'atomic'?"),
            std::string::npos);
}

TEST_F(Commands, LeaveTheProgramItsOptions) {
  EXPECT_EQ(parse_error("run ./nothing --seed x --unknown").substr(0, 26),
            "there is no program './not");
  EXPECT_EQ(parse_error("run -- ./nothing --help").substr(0, 26), "there is no program './not");
  EXPECT_EQ(parse_error("run ./nothing --help").substr(0, 26), "there is no program './not");
  EXPECT_EQ(parse_error("run ./nothing -- --seed x").substr(0, 26), "there is no program './not");
}

TEST_F(Commands, AreCompletedWithAllTheirOptions) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const std::string script = completion_script(*app_, shell);
    for (const CLI::App* command : commands_of(*app_)) {
      EXPECT_NE(script.find(command->get_name()), std::string::npos) << shell;
      for (const CLI::Option* option : options_of(*command)) {
        for (const std::string& name : option->get_lnames()) {
          EXPECT_NE(script.find(name), std::string::npos) << shell << " " << name;
        }
      }
    }
  }
  EXPECT_THROW(completion_script(*app_, "csh"), UsageError);
}

// The line of a script that is about an option of a command; empty: there is none.
std::string line_about(const std::string& script, const std::string& command,
                       const std::string& option) {
  const std::size_t start = script.find(command);
  const std::size_t found = script.find(option, start);
  if (start == std::string::npos || found == std::string::npos) return {};
  const std::size_t begin = script.rfind('\n', found) + 1;
  return script.substr(begin, script.find('\n', found) - begin);
}

// Otherwise the shell takes the program behind a flag for the flag's value.
TEST_F(Commands, AreCompletedWithValuesBehindOptionsThatTakeOne) {
  const std::string fish = completion_script(*app_, "fish");
  const std::string zsh = completion_script(*app_, "zsh");
  for (const char* flag : {"keep-going", "no-races", "spurious", "full"}) {
    const std::string line =
        line_about(fish, "__fish_seen_subcommand_from run'", std::string(" -l ") + flag + " ");
    EXPECT_NE(line, "") << flag;
    EXPECT_FALSE(line.ends_with(" -r")) << line;
    const std::string in_zsh = line_about(zsh, "    run)", std::string("'--") + flag + "[");
    EXPECT_NE(in_zsh, "") << flag;
    EXPECT_EQ(in_zsh.find("]:value:"), std::string::npos) << in_zsh;
  }
  for (const char* option : {"seed", "executions", "time", "out"}) {
    const std::string line =
        line_about(fish, "__fish_seen_subcommand_from run'", std::string(" -l ") + option + " ");
    EXPECT_TRUE(line.ends_with(" -r")) << option << ": " << line;
    const std::string in_zsh = line_about(zsh, "    run)", std::string("'--") + option + "[");
    EXPECT_NE(in_zsh.find("]:value:_files"), std::string::npos) << option << ": " << in_zsh;
  }
}

std::string output_of(const std::string& command) {
  std::FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  std::string text;
  char buffer[4096];
  for (std::size_t got = 0; (got = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) {
    text.append(buffer, got);
  }
  ::pclose(pipe);
  return text;
}

// Prints what bash offers behind a command line.
std::string bash_offers(const std::string& script, const std::string& words, int position) {
  const auto path =
      std::filesystem::temp_directory_path() / ("ricercar-completion-" + std::to_string(getpid()));
  std::ofstream(path) << script << "COMP_WORDS=(" << words << ")\nCOMP_CWORD=" << position
                      << "\n_ricercar\necho \"${COMPREPLY[@]}\"\n";
  const std::string text = output_of("bash " + path.string());
  std::filesystem::remove(path);
  return text;
}

TEST_F(Commands, AreCompletedInBash) {
  const std::string script = completion_script(*app_, "bash");
  EXPECT_EQ(bash_offers(script, "ricercar ru", 1), "run\n");
  EXPECT_EQ(bash_offers(script, "ricercar hapset m", 2), "merge\n");
  EXPECT_EQ(bash_offers(script, "ricercar hapset merge --fo", 3), "--force\n");
  EXPECT_EQ(bash_offers(script, "ricercar run --keep", 2), "--keep-going\n");
  EXPECT_EQ(bash_offers(script, "ricercar run --strategy rando", 3), "random\n");
}

void expect_page(const CLI::App& app, const CLI::App* command) {
  const std::string name = command == nullptr ? "ricercar" : "ricercar-" + command->get_name();
  const std::string path = std::string(MAN_FOLDER) + "/" + name + ".1";
  const std::string page = man_page(app, command);
  if (std::getenv("RICERCAR_APPROVE") != nullptr) {
    std::ofstream(path) << page;
    return;
  }
  std::ifstream file(path);
  std::stringstream stored;
  stored << file.rdbuf();
  EXPECT_EQ(stored.str(), page) << "RICERCAR_APPROVE=1 takes this as the new " << path;
}

TEST_F(Commands, HaveManualPages) {
  expect_page(*app_, nullptr);
  for (const CLI::App* command : commands_of(*app_)) expect_page(*app_, command);
}

TEST_F(Commands, HaveManualPagesWithoutWarnings) {
  ASSERT_NE(output_of("man --version").find("man 2"), std::string::npos)
      << "make deps installs man";
  for (const auto& page : std::filesystem::directory_iterator(MAN_FOLDER)) {
    const std::string check =
        "LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -l " + page.path().string() + " > /dev/null";
    EXPECT_EQ(output_of("{ " + check + "; }"), "") << page.path();
  }
}

}  // namespace
}  // namespace ricercar::inline cli
