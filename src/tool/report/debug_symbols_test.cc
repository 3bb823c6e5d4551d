// The symbols of this very process: its globals, functions and locals are the fixture.
#include <gtest/gtest.h>
#include <link.h>

#include <array>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <queue>
#include <vector>

#include "report/symbols.h"

enum class Colour { red, green = 7 };

struct Node {
  int value;
  Node* next;
};

struct Base {
  long first = 0;
};

struct Queue : Base {
  std::mutex mutex_;
  std::atomic<int> size_ = 0;
  Node items_[4] = {};
  std::array<short, 3> marks_ = {};
  static int instances;
};

int Queue::instances = 0;
int counter = 0;
bool ready = false;
double ratio = 0;
Colour colour = Colour::red;
int grid[2][3] = {};
Queue queue;
std::vector<int> numbers;
std::queue<int> waiting;
namespace inner {
static char letter = 'a';
}

namespace ricercar::inline report {
namespace {

int add_module(dl_phdr_info* object, std::size_t, void* result) {
  RecordedModule module{};
  std::strncpy(module.path, object->dlpi_name, sizeof module.path - 1);
  module.base = object->dlpi_addr;
  static_cast<std::vector<RecordedModule>*>(result)->push_back(module);
  return 0;
}

Symbols& symbols() {
  static std::vector<RecordedModule> modules;
  static const std::unique_ptr<Symbols> result = [] {
    dl_iterate_phdr(add_module, &modules);
    Recording recording{};
    recording.modules = {modules.data(), modules.size()};
    return debug_symbols(recording, std::filesystem::read_symlink("/proc/self/exe"));
  }();
  return *result;
}

std::uint64_t address_of(const volatile void* place) {
  return reinterpret_cast<std::uint64_t>(place);
}

Variable global_at(const volatile void* place) {
  return symbols().global(address_of(place)).value_or(Variable{"nothing", 0, {}, false, {}});
}

TEST(Globals, HaveTheirNamesAndKinds) {
  inner::letter = 'b';
  EXPECT_EQ(global_at(&counter).name, "counter");
  EXPECT_EQ(global_at(&counter).kind, ValueKind::signed_integer);
  EXPECT_EQ(global_at(&counter).size, 4U);
  EXPECT_EQ(global_at(&ready).kind, ValueKind::boolean);
  EXPECT_EQ(global_at(&ratio).kind, ValueKind::floating);
  EXPECT_EQ(global_at(&inner::letter).name, "letter");
  EXPECT_EQ(global_at(&inner::letter).kind, ValueKind::character);
  EXPECT_EQ(global_at(&Queue::instances).name, "Queue::instances");
}

TEST(Globals, KnowTheirEnumerators) {
  const Variable variable = global_at(&colour);
  EXPECT_EQ(variable.kind, ValueKind::enumeration);
  ASSERT_EQ(variable.enumerators.size(), 2U);
  EXPECT_EQ(variable.enumerators[1], (std::pair<std::int64_t, std::string>(7, "green")));
}

TEST(Globals, HavePathsToTheirMembers) {
  EXPECT_EQ(global_at(&queue.first).name, "queue.first");
  EXPECT_EQ(global_at(&queue.mutex_).name, "queue.mutex_");
  EXPECT_EQ(global_at(&queue.size_).name, "queue.size_");
  EXPECT_EQ(global_at(&queue.size_).kind, ValueKind::signed_integer);
  EXPECT_EQ(global_at(&queue.items_[3].next).name, "queue.items_[3].next");
  EXPECT_EQ(global_at(&queue.items_[3].next).kind, ValueKind::pointer);
  EXPECT_EQ(global_at(&queue.marks_[2]).name, "queue.marks_[2]");
  EXPECT_EQ(global_at(&grid[1][2]).name, "grid[1][2]");
}

// Which container, and where in it; the one inside of a std::queue is the queue.
TEST(Globals, KnowWhereInAContainerTheyAre) {
  const Variable end = global_at(reinterpret_cast<char*>(&numbers) + 8);
  EXPECT_EQ(end.name, "numbers");
  EXPECT_TRUE(end.is_internal);
  EXPECT_TRUE(end.library.type.starts_with("vector<int"));
  EXPECT_EQ(end.library.offset, 8U);
  EXPECT_EQ(end.library.element_size, sizeof(int));
  const Variable first = global_at(reinterpret_cast<char*>(&waiting) + 16);
  EXPECT_EQ(first.name, "waiting");
  EXPECT_TRUE(first.library.type.starts_with("deque<int"));
  EXPECT_EQ(first.library.offset, 16U);
}

TEST(Globals, AreNotFoundWhereThereAreNone) {
  int local = 0;
  EXPECT_FALSE(symbols().global(address_of(&local)).has_value());
  EXPECT_FALSE(symbols().global(0).has_value());
  EXPECT_FALSE(symbols().global(~std::uint64_t{0}).has_value());
}

__attribute__((noinline)) std::uint64_t here() { return address_of(__builtin_return_address(0)); }

TEST(Frames, NameFunctionAndLine) {
  const int line = __LINE__ + 1;
  const std::vector<Frame> frames = symbols().frames(here());
  ASSERT_FALSE(frames.empty());
  EXPECT_EQ(frames[0].function, "ricercar::report::Frames_NameFunctionAndLine_Test::TestBody");
  EXPECT_EQ(static_cast<int>(frames[0].line), line);
  EXPECT_TRUE(frames[0].file.ends_with("debug_symbols_test.cc")) << frames[0].file;
  EXPECT_TRUE(frames[0].is_users);
  EXPECT_EQ(symbols().source_text(frames[0]),
            "const std::vector<Frame> frames = symbols().frames(here());");
}

inline __attribute__((always_inline)) std::uint64_t inlined_call() { return here() + 0; }

TEST(Frames, ShowInlinedCalls) {
  const std::vector<Frame> frames = symbols().frames(inlined_call());
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_EQ(frames[0].function, "ricercar::report::inlined_call");
  EXPECT_EQ(frames[1].function, "ricercar::report::Frames_ShowInlinedCalls_Test::TestBody");
  EXPECT_GT(frames[1].line, frames[0].line);
}

TEST(Frames, OfLibrariesAreNotTheUsers) {
  const std::vector<Frame> frames =
      symbols().frames(address_of(reinterpret_cast<void*>(&std::terminate)) + 1);
  ASSERT_FALSE(frames.empty());
  EXPECT_FALSE(frames[0].is_users);
}

TEST(Frames, OfNowhereAreEmpty) {
  EXPECT_TRUE(symbols().frames(0).empty());
  EXPECT_TRUE(symbols().frames(1).empty());
  EXPECT_TRUE(symbols().frames(~std::uint64_t{0}).empty());
}

__attribute__((noinline)) void look_at_locals(Queue& outer_queue) {
  volatile int total = 3;
  Node nodes[2] = {{1, nullptr}, {2, nullptr}};
  asm volatile("" : : "r"(nodes), "r"(&outer_queue) : "memory");
  const std::uint64_t pc = here();
  const auto frame_address = address_of(__builtin_dwarf_cfa());
  const auto found = symbols().local(pc, frame_address, address_of(&total));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->name, "total");
  EXPECT_EQ(found->kind, ValueKind::signed_integer);
  const auto member = symbols().local(pc, frame_address, address_of(&nodes[1].next));
  ASSERT_TRUE(member.has_value());
  EXPECT_EQ(member->name, "nodes[1].next");
}

TEST(Locals, AreFoundByTheirFrame) { look_at_locals(queue); }

TEST(DebugInformation, IsThere) { EXPECT_TRUE(symbols().has_debug_information()); }

}  // namespace
}  // namespace ricercar::inline report
