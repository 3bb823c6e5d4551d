// Names for what a recording talks about: threads, objects, places. One instance for one report, so
// that a heap block has the same name everywhere. Not thread-safe.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/recording.h"
#include "report/symbols.h"

namespace ricercar::inline report {

enum class Storage { global, stack, heap, unknown };

struct ObjectName {
  std::string name;  // `queue.mutex_`, `Node#2.next`, `block 2 + 8`
  Storage storage = Storage::unknown;
  Variable variable;  // where it is one
};

// Which heap block is at an address: the last one, because memory is used again after it was freed.
class BlockMap {
 public:
  explicit BlockMap(const Array<RecordedAllocation>& blocks) {
    for (const RecordedAllocation& block : blocks) add(block);
  }

  // Null: there never was one.
  const RecordedAllocation* find(std::uint64_t address) const {
    auto next = parts_.upper_bound(address);
    if (next == parts_.begin()) return nullptr;
    const Part& part = std::prev(next)->second;
    return address < part.end ? part.block : nullptr;
  }

 private:
  // What is left of a block after later ones were laid over it; parts do not overlap.
  struct Part {
    std::uint64_t end;
    const RecordedAllocation* block;
  };

  void add(const RecordedAllocation& block) {
    const std::uint64_t start = block.address;
    const std::uint64_t end = start + (block.size == 0 ? 1 : block.size);
    split_at(start);
    split_at(end);
    parts_.erase(parts_.lower_bound(start), parts_.lower_bound(end));
    parts_[start] = {end, &block};
  }

  void split_at(std::uint64_t address) {
    const auto next = parts_.lower_bound(address);
    if (next == parts_.begin()) return;
    Part& before = std::prev(next)->second;
    if (before.end <= address) return;
    parts_.emplace_hint(next, address, Part{before.end, before.block});
    before.end = address;
  }

  std::map<std::uint64_t, Part> parts_;  // by their first address
};

class Names {
 public:
  Names(const Recording& recording, Symbols& symbols);

  const Recording& recording() const { return recording_; }
  Symbols& symbols() { return symbols_; }

  static std::string task(TaskId id);                   // T1
  static std::string tasks(TaskId first, TaskId last);  // "T1", "T1, T2", "T1 to T9"
  std::string titled_task(TaskId id);                   // T1 (producer)
  // T1 (producer) if the program itself has named the thread so, T1 otherwise.
  std::string named_task(TaskId id);
  // What it runs: its name, or the outermost function of the user's; empty: unknown.
  const std::string& title(TaskId id);

  Place place(const StackRef& stack);
  Place place(std::uint64_t site);
  Place place_of(const Frame& frame);
  // Where a task was seen last, if nothing tells where it is now.
  Place last_place(TaskId task);
  // A word that threads wait on, as opposed to a condition variable.
  bool is_futex(std::uint64_t object) const;
  // Where a task is that cannot go on.
  Place place_of_wait(const RecordedTask& task);
  // Files outside of the working folder, which are called by their last name: name and path.
  const std::map<std::string, std::string>& short_files() const { return short_files_; }
  // All calls, inlined ones too, innermost first.
  std::vector<Frame> frames(const StackRef& stack);
  // The same as places; only the first ones of a deep stack, unless all are wanted.
  CallStack calls(const StackRef& stack, bool full);

  // The name of what is at an address. `at_event`: an index into the events, because stack memory
  // means different things at different times.
  const ObjectName& object(std::uint64_t address, std::size_t at_event);
  const ObjectName& object(std::uint64_t address) {
    return object(address, recording_.events.size);
  }
  // The name of the heap block that begins at an address: `Node#2`.
  std::string block(std::uint64_t address);
  const RecordedAllocation* allocation(std::uint64_t address) const {
    return blocks_.find(address);
  }
  // What std::thread passes to a new thread: it says nothing about the program.
  bool is_of_thread_start(std::uint64_t address);
  // How many shared pointers there are to something.
  bool is_reference_count(std::uint64_t address, std::size_t at_event);
  // Data of the C and C++ libraries.
  bool is_library_data(std::uint64_t address) const;
  const RecordedTask* owner_of_stack(std::uint64_t address) const;
  struct NamedBlock {
    const RecordedAllocation* allocation;
    std::string name;  // `block 1`, `Node#2`
  };
  // The heap blocks that were named, in the order of their numbers.
  const std::vector<NamedBlock>& named_blocks() const { return named_blocks_; }

 private:
  Place place_in_library(const std::vector<Frame>& calls);
  bool is_of_assertion(const StackRef& stack) const;
  std::string short_file(const std::string& path);
  std::string find_title(const RecordedTask& task);
  std::string outermost_function(const StackRef& stack);
  ObjectName find_object(std::uint64_t address, std::size_t at_event);
  std::optional<Variable> find_local(std::uint64_t address, const RecordedTask& owner,
                                     std::size_t at_event);
  std::optional<Variable> local_in(const StackRef& stack, std::uint64_t address);
  ObjectName find_heap_object(const RecordedAllocation& block, std::uint64_t offset);
  // The one variable outside of the heap by which a block is found.
  struct Holder {
    enum class Kind : std::uint8_t { none, pointer, elements, node };
    Kind kind = Kind::none;
    std::uint64_t address = 0;
    std::string name;
    std::uint64_t element_size = 0;  // of the elements of a vector
    bool is_global = false;
  };
  const Holder& holder_of(const RecordedAllocation& block);
  Holder find_holder(const RecordedAllocation& block);
  Holder as_holder(std::uint64_t address, std::size_t event);
  void note_pointers();
  std::string name_of_next_block(const Holder& holder, const std::optional<HeapPart>& part);

  const Recording& recording_;
  Symbols& symbols_;
  std::map<TaskId, std::string> titles_;
  std::map<std::uint64_t, ObjectName> objects_;
  std::map<std::string, std::string> short_files_;
  std::vector<NamedBlock> named_blocks_;
  BlockMap blocks_;
  std::map<const RecordedAllocation*, bool> thread_blocks_;
  // Where the address of a block was read or written outside of the heap, for the first time each;
  // and to how many blocks such a place has pointed.
  std::optional<std::map<std::uint64_t, std::map<std::uint64_t, std::size_t>>> pointers_;
  std::map<std::uint64_t, std::size_t> target_counts_;
  std::map<const RecordedAllocation*, Holder> holders_;
};

}  // namespace ricercar::inline report
