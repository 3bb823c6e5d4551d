// What a report says of containers: how many elements they have, and where their memory belongs.
#include <gtest/gtest.h>

#include "report/container_sizes.h"
#include "report/report_examples.h"

namespace ricercar::inline report {
namespace {

using examples::report_of;
using enum OperationKind;

constexpr std::uint64_t heap = 0x10000;

// Two threads, and a container that both use.
class Story {
 public:
  explicit Story(const std::string& type, std::uint64_t element_size = 4) {
    const std::uint64_t creation = builder.line("main", 1, "std::thread one(work);");
    for (int i = 0; i < 3; ++i) builder.task(0, i == 0 ? 0 : creation);
    builder.event(0, create, 0, 1, {creation});
    builder.event(0, create, 0, 2, {creation});
    items = builder.global("items");
    for (std::uint64_t offset = 0; offset < 80; offset += 8) {
      builder.symbols.globals[items + offset] = {"items", 8,  ValueKind::pointer,
                                                 true,    {}, {type, offset, element_size}};
    }
  }

  Step& access(std::uint32_t task, OperationKind kind, std::uint64_t address, std::uint64_t value,
               unsigned line) {
    Step& step = builder.event(task, kind, address, value, {builder.line("work", line, "work();")});
    step.size = 8;
    return step;
  }
  std::optional<std::uint64_t> size_after(std::size_t event) {
    const Recording recording = builder.build();
    Names names(recording, builder.symbols);
    return ContainerSizes(names).size_after(event);
  }
  std::vector<std::string> rows() {
    builder.outcome(OutcomeKind::assertion, 2, "assertion `x' failed",
                    {builder.line("work", 99, "work();")});
    std::vector<std::string> rows;
    for (const ReportStep& step : report_of(builder).steps) rows.push_back(step.what);
    return rows;
  }

  RecordingBuilder builder;
  std::uint64_t items = 0;
};

TEST(ContainerSizes, OfAVectorIsWhatLiesBetweenItsPointers) {
  Story story("vector<int, std::allocator<int> >");
  story.access(1, read, story.items, heap, 10);
  story.access(1, read, story.items + 8, heap + 12, 10);
  EXPECT_FALSE(story.size_after(2).has_value());  // the end has not been seen yet
  EXPECT_EQ(story.size_after(3), 3);
}

TEST(ContainerSizes, OfAVectorThatIsBeingChangedIsUnknown) {
  Story story("vector<int, std::allocator<int> >");
  story.access(1, read, story.items + 8, heap + 12, 10);
  story.access(1, write, story.items, 2 * heap, 10);
  EXPECT_FALSE(story.size_after(3).has_value());
  story.access(1, write, story.items + 8, 2 * heap + 6, 10);
  EXPECT_FALSE(story.size_after(4).has_value());  // one element and a half
}

// Two elements at the end of the first block, a full one, two at the beginning of the last one.
TEST(ContainerSizes, OfADequeAreThoseOfAllItsBlocks) {
  Story story("deque<int, std::allocator<int> >");
  const std::uint64_t map = 5 * heap;
  const std::uint64_t values[] = {
      map,          8,        heap + 504,     heap,    heap + 512, map + 8,
      3 * heap + 8, 3 * heap, 3 * heap + 512, map + 24};
  std::size_t event = 1;
  for (const std::uint64_t value : values) {
    EXPECT_FALSE(story.size_after(event).has_value());
    story.access(1, read, story.items + 8 * (event++ - 1), value, 10);
  }
  EXPECT_EQ(story.size_after(event), 2 + 128 + 2);
}

TEST(ContainerSizes, OfAMapIsItsCount) {
  Story story("map<int, int, std::less<int>, std::allocator<int> >");
  story.access(1, write, story.items + 40, 7, 10);
  story.access(1, read, story.items + 16, heap, 11);
  EXPECT_EQ(story.size_after(3), 7);
}

// The library changes them where nobody sees it.
TEST(ContainerSizes, OfAStringIsOnlyWhatHasJustBeenRead) {
  Story story("basic_string<char, std::char_traits<char>, std::allocator<char> >", 1);
  story.access(1, read, story.items + 8, 5, 10);
  story.access(1, read, story.items, heap, 11);
  EXPECT_EQ(story.size_after(2), 5);
  EXPECT_FALSE(story.size_after(3).has_value());
}

TEST(ContainerSizes, OfOtherObjectsAreUnknown) {
  Story story("vector<bool, std::allocator<bool> >");
  story.access(1, read, story.items, heap, 10);
  story.access(1, read, story.items + 8, heap + 8, 10);
  EXPECT_FALSE(story.size_after(3).has_value());
}

TEST(ContainerSizes, AreToldInTheRowThatHasReadOrFinishedTheChange) {
  Story story("vector<int, std::allocator<int> >");
  story.access(1, read, story.items, heap, 10);
  story.access(1, read, story.items + 8, heap + 4, 10);
  story.access(2, read, story.items + 8, heap + 4, 20);
  story.access(2, write, story.items + 8, heap + 8, 20);
  story.access(1, write, story.items + 8, heap + 12, 11);
  story.access(2, read, story.items, heap, 21);
  EXPECT_EQ(story.rows(),
            (std::vector<std::string>{"reads items (size 1)", "reads items, writes items (size 2)",
                                      // T1 does nothing after it that would show that it is done
                                      "writes items", "reads items (size 3)", "assertion fails"}));
}

TEST(Names, OfTheMemoryOfAVectorAreItsElements) {
  Story story("vector<int, std::allocator<int> >");
  story.builder.allocation(heap, 16, 0, story.builder.line("main", 2, "items.resize(4);"));
  story.access(1, read, story.items, heap, 10);
  const Recording recording = story.builder.build();
  Names names(recording, story.builder.symbols);
  EXPECT_EQ(names.object(heap + 8).name, "items[2]");
  EXPECT_EQ(names.block(heap), "items[]");
}

// It has had other memory, too: which of the two is meant would not be clear.
TEST(Names, OfMemoryThatAVectorHasReplacedAreNotItsElements) {
  Story story("vector<int, std::allocator<int> >");
  const std::uint64_t place = story.builder.line("main", 2, "items.resize(4);");
  story.builder.allocation(heap, 16, 0, place);
  story.builder.allocation(2 * heap, 32, 0, place);
  story.access(1, read, story.items, heap, 10);
  story.access(1, write, story.items, 2 * heap, 11);
  const Recording recording = story.builder.build();
  Names names(recording, story.builder.symbols);
  EXPECT_EQ(names.object(heap).name, "block 1");
}

TEST(Names, OfWhatAUniquePointerOwnsAreBehindIt) {
  Story story("unique_ptr<Cache, std::default_delete<Cache> >");
  story.builder.symbols.heap_parts[8] = {"Cache", {".entries", 8, {}, false, {}, {}}};
  story.builder.allocation(heap, 16, 0, story.builder.line("main", 2, "new Cache"));
  story.access(1, read, story.items, heap, 10);
  const Recording recording = story.builder.build();
  Names names(recording, story.builder.symbols);
  EXPECT_EQ(names.object(heap + 8).name, "items->entries");
}

}  // namespace
}  // namespace ricercar::inline report
