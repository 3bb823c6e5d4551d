// What is undone is gone: random changes of a folder, each noted as the hooks do, and then the
// folder is compared with what it was.
#include "disk/undo.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <new>
#include <random>
#include <string>
#include <vector>

#include "disk/folder_test.h"

namespace ricercar::inline disk {
namespace {

namespace fs = std::filesystem;

class Undo : public FolderTest {
 protected:
  void change_at_random(std::mt19937& random);
};

// Runs it in a process of its own, which is killed after so many microseconds.
template <typename Work>
void kill_within(unsigned delay_us, Work work) {
  const pid_t child = ::fork();
  if (child == 0) {
    work();
    ::_exit(0);
  }
  ::usleep(delay_us);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

TEST_F(Undo, PutsContentsBackThatWereWrittenThroughADescriptorThatCannotRead) {
  put("file", "what was there");
  const int file = open(in("file"), O_WRONLY);
  write_at(file, "that", 5);
  write(file, "whatever comes");
  write(file, " and more of it");
  ::close(file);
  undo_all(log_);
  EXPECT_EQ(look(folder_)["file"], "100644 what was there");
}

TEST_F(Undo, PutsBackWhatWasRenamedOverAndWrittenInBetween) {
  put("one", "1");
  put("two", "2");
  const Seen before = look(folder_);
  const int file = open(in("two"), O_RDWR | O_APPEND);
  write(file, "22");
  rename(in("one"), in("two"));
  write(file, "nobody sees this");  // it has no name any more
  ::close(file);
  const int other = open(in("two"), O_RDWR | O_TRUNC);
  write(other, "11111");
  ::close(other);
  undo_all(log_);
  EXPECT_EQ(look(folder_), before);
}

TEST_F(Undo, RemovesWhatWasMadeInAFolderThatWasRenamed) {
  fs::create_directory(in("folder"));
  const Seen before = look(folder_);
  ::close(open(in("folder/new"), O_CREAT | O_WRONLY));
  rename(in("folder"), in("moved"));
  ::close(open(in("moved/newer"), O_CREAT | O_WRONLY));
  make_folder(in("moved/inner"));
  make_link("newer", in("moved/inner/link"));
  undo_all(log_);
  EXPECT_EQ(look(folder_), before);
}

TEST_F(Undo, KeepsTheSecondNameOfAFileTheSameFile) {
  put("file", "text");
  add_name(in("file"), in("name"));
  remove(in("file"));
  const int file = open(in("name"), O_WRONLY);
  write(file, "other");
  ::close(file);
  undo_all(log_);
  const Seen expected = {{"file", "100644 text"}};
  EXPECT_EQ(look(folder_), expected);
}

TEST_F(Undo, LeavesAloneWhatStandardStreamsLeadTo) {
  put("output", "");
  const int file = ::open(in("output").c_str(), O_WRONLY);
  struct stat status = {};
  ::fstat(file, &status);
  log_.leave_alone(status.st_dev, status.st_ino);
  write(file, "stays");
  ::close(file);
  undo_all(log_);
  EXPECT_EQ(look(folder_)["output"], "100644 stays");
}

TEST_F(Undo, SaysWhatThereIsNoMemoryFor) {
  static std::string said;
  said.clear();
  on_lost_change = [](const char* what, const char* path) { said = std::string(what) + path; };
  put("large", std::string(1 << 25, 'x'));
  remove(in("large"));
  EXPECT_NE(said.find("more of files than there is memory for"), std::string::npos) << said;
  EXPECT_TRUE(said.ends_with(in("large"))) << said;
}

TEST_F(Undo, TellsOfFilesThatAreNewAndOfNoOthers) {
  static std::vector<std::uint64_t> told;
  told.clear();
  on_new_file = [](std::uint64_t, std::uint64_t inode) { told.push_back(inode); };
  put("old", "text");
  std::vector<std::uint64_t> made;
  const auto open_and_look = [&](const std::string& path, int flags) {
    const int file = open(path, flags);
    struct stat status = {};
    ::fstat(file, &status);
    ::close(file);
    return status.st_ino;
  };
  open_and_look(in("old"), O_CREAT | O_TRUNC | O_WRONLY);
  open_and_look(in("old"), O_RDONLY);
  made.push_back(open_and_look(in("new"), O_CREAT | O_WRONLY));
  open_and_look(in("new"), O_CREAT | O_WRONLY);
  rename(in("new"), in("old"));
  made.push_back(open_and_look(in("new"), O_CREAT | O_WRONLY));
  made.push_back(open_and_look(folder_, O_TMPFILE | O_RDWR));
  EXPECT_EQ(told, made);
}

void Undo::change_at_random(std::mt19937& random) {
  const std::string names[] = {"a", "b", "c", "folder", "folder/a", "folder/b", "folder/inner"};
  const auto any = [&] { return in(names[random() % std::size(names)]); };
  const std::string text(random() % 9, static_cast<char>('a' + random() % 26));
  const std::string path = any();
  switch (random() % 9) {
    case 0:
      return remove(path);
    case 1:
      return rename(path, any());
    case 2:
      return make_folder(path);
    case 3:
      return make_link("a", path);
    case 4:
      return change_mode(path, random() % 2 == 0 ? 0755 : 0644);
    case 5:
      return add_name(path, any());
    default:
      break;
  }
  const int flags[] = {O_WRONLY, O_RDWR | O_CREAT, O_WRONLY | O_APPEND, O_RDWR | O_TRUNC};
  const int file = open(path, flags[random() % std::size(flags)]);
  if (file < 0) return;
  if (random() % 3 == 0) resize(file, static_cast<off_t>(random() % 12));
  write(file, text);
  if (random() % 2 == 0) write_at(file, text, static_cast<off_t>(random() % 12));
  ::close(file);
}

TEST_F(Undo, PutsBackWhateverWasDone) {
  put("a", "first");
  put("b", "second");
  fs::create_directory(in("folder"));
  put("folder/a", "third");
  make_link("folder/a", in("c"));
  log_.clear();
  const Seen before = look(folder_);
  std::mt19937 random(1);
  for (int round = 0; round < 120; ++round) {
    for (int i = 0; i < 30; ++i) change_at_random(random);
    undo_all(log_);
    ASSERT_EQ(look(folder_), before) << "round " << round;
  }
}

// A process may be killed before the call, or behind it and before it says so; and who undoes that,
// before the log forgets it.
TEST_F(Undo, MayBeDoneTwiceAndForWhatWasNotDone) {
  put("a", "first");
  put("b", "second");
  fs::create_directory(in("folder"));
  make_link("a", in("link"));
  log_.clear();
  const Seen before = look(folder_);
  const std::string a = in("a"), b = in("b"), name = in("new");
  const int file = ::open(a.c_str(), O_RDWR);
  const auto expect_undone = [&](auto note, auto call) {
    for (const bool is_called : {false, true}) {
      [[maybe_unused]] const auto noted = note();
      if (is_called) EXPECT_GE(call(), 0);
      FileChange* change = log_.last();
      ASSERT_NE(change, nullptr);
      undo_all(log_);
      log_.add(change);
      undo_all(log_);
      EXPECT_EQ(look(folder_), before) << static_cast<int>(change->kind) << is_called;
      log_.clear();
    }
  };
  const auto make = [&] { return Making(AT_FDCWD, name.c_str()); };
  expect_undone(make, [&] { return ::mkdir(name.c_str(), 0755); });
  expect_undone(make, [&] { return ::symlink("a", name.c_str()); });
  expect_undone([&] { return AddingName(AT_FDCWD, a.c_str(), AT_FDCWD, name.c_str()); },
                [&] { return ::link(a.c_str(), name.c_str()); });
  const auto opened = [&](const std::string& path, int flags) {
    expect_undone([=] { return Opening(AT_FDCWD, path.c_str(), flags); },
                  [=] { return ::close(::open(path.c_str(), flags, 0600)); });
  };
  opened(name, O_CREAT | O_WRONLY);
  opened(a, O_TRUNC | O_WRONLY);
  const auto removed = [&](const std::string& path) {
    expect_undone([=] { return Removing(AT_FDCWD, path.c_str()); },
                  [=] { return ::remove(path.c_str()); });
  };
  removed(in("link"));
  removed(in("folder"));
  const auto renamed = [&](const std::string& from, const std::string& to, unsigned flags) {
    expect_undone([=] { return Renaming(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), flags); },
                  [=] { return ::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), flags); });
  };
  renamed(a, name, 0);
  renamed(in("link"), b, 0);
  renamed(a, b, RENAME_EXCHANGE);
  expect_undone([&] { return ChangingMode(AT_FDCWD, a.c_str()); },
                [&] { return ::chmod(a.c_str(), 0600); });
  expect_undone([&] { return Writing(file, 2, 9); },
                [&] { return static_cast<int>(::pwrite(file, "123456789", 9, 2)); });
  expect_undone([&] { return Resizing(file, 1); }, [&] { return ::ftruncate(file, 1); });
  ::close(file);
  removed(a);
}

// Somebody else undoes what a process that was killed anywhere has done, and may be killed as well.
TEST_F(Undo, PutsBackWhatAProcessHasDoneThatWasKilled) {
  constexpr std::size_t size = std::size_t{1} << 24;
  put("a", "first");
  put("b", "second");
  fs::create_directory(in("folder"));
  put("folder/a", "third");
  const Seen before = look(folder_);
  void* shared = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto* log = new (shared) DiskLog();
  log->use(static_cast<unsigned char*>(shared) + sizeof(DiskLog), size - sizeof(DiskLog));
  changes_log = log;
  std::mt19937 random(1);
  int unfinished = 0;
  for (int round = 0; round < 300; ++round) {
    kill_within(random() % 2000, [&] {
      for (int i = 0; i < 1000; ++i) change_at_random(random);
    });
    unfinished += log->empty() ? 0 : 1;
    kill_within(random() % 1000, [&] { undo_all(*log); });
    undo_all(*log);
    ASSERT_EQ(look(folder_), before) << "round " << round;
  }
  EXPECT_GT(unfinished, 100);
  ::munmap(shared, size);
}

}  // namespace
}  // namespace ricercar::inline disk
