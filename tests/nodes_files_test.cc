// The files of nodes are as they were, whoever is killed, and whenever.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "support/tool.h"

namespace ricercar::test {
namespace {

namespace fs = std::filesystem;
using Folder = std::map<std::string, std::string>;

struct Running {
  pid_t id;
  pid_t parent;
};

bool wait_until(const std::function<bool()>& is_so) {
  for (int i = 0; i < 2000; ++i) {
    if (is_so()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

class NodesFiles : public ToolTest {
 protected:
  // Two nodes, each in a folder of its own.
  void SetUp() override {
    const std::string rewriter = program("nodes/rewriter.cc");
    std::ofstream file(in_folder("cluster.toml"));
    for (const std::string name : {"one", "two"}) {
      file << "[[node]]\nname = \"" << name << "\"\ncommand = [\"" << rewriter << "\"]\nfolder = \""
           << name << "\"\n";
      fs::remove_all(in_folder(name));
      fs::create_directories(in_folder(name) + "/inner");
      for (const std::string each : {"a", "b", "inner/c"}) {
        std::ofstream(in_folder(name) + "/" + each) << "what was there: " << name << ' ' << each;
      }
    }
    file.close();
    before_ = look();
  }

  static Folder look() {
    Folder seen;
    for (const std::string name : {"one", "two"}) {
      for (const fs::directory_entry& each : fs::recursive_directory_iterator(in_folder(name))) {
        std::ostringstream text;
        text << static_cast<int>(each.status().permissions()) << ' ';
        if (each.is_regular_file()) text << std::ifstream(each.path()).rdbuf();
        seen[each.path()] = text.str();
      }
    }
    return seen;
  }

  // While a search may be at work.
  static bool is_changed() {
    try {
      return look() != before_;
    } catch (const fs::filesystem_error&) {
      return true;
    }
  }

  static Command endless() {
    return command({"run", "--nodes", "cluster.toml", "--strategy", "random", "-n", "1000000"});
  }
  static std::string undo_file() { return in_folder(".cluster.toml.undo"); }

  // Processes that work in this test's folder and have the word on their command line. Other tests
  // have searches, too.
  static std::vector<Running> processes(const std::string& word) {
    std::vector<Running> all;
    for (const fs::directory_entry& each : fs::directory_iterator("/proc")) {
      std::error_code gone;
      const std::string place = fs::read_symlink(each.path() / "cwd", gone);
      if (gone || !place.starts_with(fs::canonical(in_folder("")).string())) continue;
      std::ifstream file(each.path() / "cmdline");
      const std::string words(std::istreambuf_iterator<char>(file), {});
      if (words.find(word) == std::string::npos) continue;
      std::ifstream status(each.path() / "stat");
      std::string name, state;
      Running found = {};
      status >> found.id >> name >> state >> found.parent;
      if (state != "Z") all.push_back(found);
    }
    return all;
  }

  // The coordinator, or its guardian, which is its child or nobody's.
  static std::vector<pid_t> coordinators(bool is_guardian) {
    std::vector<pid_t> found;
    const std::vector<Running> all = processes("coordinate-nodes");
    for (const Running& each : all) {
      const bool is_child = std::any_of(
          all.begin(), all.end(), [&](const Running& other) { return other.id == each.parent; });
      if (is_child == is_guardian) found.push_back(each.id);
    }
    return found;
  }

  static void let_run(std::mt19937& random) {
    ASSERT_TRUE(wait_until([] { return fs::exists(undo_file()) && is_changed(); }));
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 100000));
  }

  static void kill_all(const std::vector<pid_t>& all) {
    for (const pid_t each : all) ::kill(each, SIGKILL);
  }

  static inline Folder before_;
};

TEST_F(NodesFiles, ArePutBackWhenTheToolAndItsCoordinatorAreKilledTogether) {
  std::mt19937 random(1);
  for (int i = 0; i < 12; ++i) {
    Process searching(endless());
    let_run(random);
    const std::vector<pid_t> coordinator = coordinators(false);
    ASSERT_EQ(coordinator.size(), 1u);
    if (random() % 2 == 0) kill_all(coordinator);
    searching.signal(SIGKILL);
    kill_all(coordinator);
    searching.wait();
    ASSERT_TRUE(wait_until([] { return !fs::exists(undo_file()); }));
    ASSERT_EQ(look(), before_) << "round " << i;
    ASSERT_TRUE(wait_until([] { return coordinators(true).empty(); }));
    ASSERT_TRUE(processes("rewriter").empty());
  }
}

TEST_F(NodesFiles, ArePutBackBeforeTheToolSaysThatItsCoordinatorWasKilled) {
  std::mt19937 random(2);
  for (int i = 0; i < 3; ++i) {
    Process searching(endless());
    let_run(random);
    kill_all(coordinators(false));
    expect(searching.wait(), 2, {"the process that searched was killed"});
    ASSERT_EQ(look(), before_) << "round " << i;
    ASSERT_FALSE(fs::exists(undo_file()));
  }
}

class NodesFilesBehind : public NodesFiles {
 protected:
  // A search with all that belongs to it is gone, and its nodes have changed files.
  static void leave(std::mt19937& random) {
    Process searching(endless());
    let_run(random);
    searching.signal(SIGSTOP);
    const std::vector<pid_t> coordinator = coordinators(false);
    kill_all(coordinators(true));
    kill_all(coordinator);
    searching.signal(SIGKILL);
    searching.wait();
    ASSERT_TRUE(wait_until([] { return processes("rewriter").empty(); }));
    ASSERT_TRUE(fs::exists(undo_file()));
  }

  static void change_undo_file(const std::string& from, const std::string& to) {
    std::fstream file(undo_file(), std::ios::in | std::ios::out | std::ios::binary);
    std::string start(256, 0);
    file.read(start.data(), static_cast<std::streamsize>(start.size()));
    const std::size_t at = start.find(from);
    ASSERT_NE(at, std::string::npos);
    file.seekp(static_cast<std::streamoff>(at));
    file << to;
  }
};

TEST_F(NodesFilesBehind, ArePutBackByTheNextSearch) {
  std::mt19937 random(3);
  int changed = 0;
  for (int i = 0; i < 5; ++i) {
    leave(random);
    const bool is_changed = look() != before_;
    changed += is_changed ? 1 : 0;
    const Finished next = tool({"run", "--nodes", "cluster.toml", "-n", "1"});
    expect(next, 0, {});
    if (is_changed) expect(next, 0, {"was put back before this one began"});
    ASSERT_EQ(look(), before_) << "round " << i;
    ASSERT_FALSE(fs::exists(undo_file()));
  }
  EXPECT_GT(changed, 2);
}

TEST_F(NodesFilesBehind, AreNamedIfNobodyCanPutThemBack) {
  std::mt19937 random(4);
  std::string boot;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id") >> std::ws, boot);
  leave(random);
  change_undo_file(boot, "00000000");
  const auto refuse = [](const std::string& why) {
    expect(tool({"run", "--nodes", "cluster.toml", "-n", "1"}), 2,
           {"has left files as its nodes had changed them", why, in_folder("one"), in_folder("two"),
            "then remove '" + undo_file() + "'"});
    EXPECT_TRUE(fs::exists(undo_file()));
  };
  refuse("the machine went down meanwhile");
  change_undo_file("rcrdisk", "rcrdusk");
  refuse("another version of Ricercar was at work");
  fs::remove(undo_file());
  expect(tool({"run", "--nodes", "cluster.toml", "-n", "1"}), 0, {"no bug found"});
}

TEST_F(NodesFiles, NeedNoFileBesideTheClusterUnlessSomethingIsChanged) {
  expect(tool({"run", "--nodes", "cluster.toml", "-n", "3"}), 0, {"no bug found"});
  EXPECT_FALSE(fs::exists(undo_file()));
  std::ofstream(undo_file()) << "";  // made, and then the search was killed at once
  expect(tool({"run", "--nodes", "cluster.toml", "-n", "3"}), 0, {"no bug found"});
  EXPECT_FALSE(fs::exists(undo_file()));
}

}  // namespace
}  // namespace ricercar::test
