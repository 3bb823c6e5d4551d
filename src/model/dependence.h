// The dependence of steps: which of them commute. One table for all reductions.
//
//   two steps of one task                          dependent
//   two steps that touch one object                dependent, unless both only read it
//   all others                                     independent: their order cannot be observed
//
// What a step touches is said by its kind: the column `touches` in operation.h, in most cases its
// object. Memory is an object byte by byte. Besides:
//
//   wait on a condition variable    also writes the mutex that it gives back
//   time-out or spurious wake-up    writes the condition variable
//   create                          writes the list of tasks: numbers are given in order
//   end of a task, attempt to join  write and read that task
//   clock asked, time limit set     writes the world
//   exit, end of the execution      depends on everything
//   crash, restart of a machine     also write that task; what the task does without looking into
//                                   its queue reads it
//   delivery of a signal            writes the task that gets it; all that the task does reads it
//   use and free of a heap block    read and write the life of the block: an access, whatever its
//                                   kind, and the free do not commute
//   arrival of a message            comes after it was sent: an order, but no race
//
// Thread keys: a key is an object that is read by who uses it and written by who deletes it. Which
// keys there are is another object, which creating and deleting write. A new key has a number that
// no other one had, so creating it commutes with every use.
//
// Files: which names and which descriptors there are is one object. Reading from an open file and
// writing to it touches that file, and reads the names, because its descriptor may be closed. What
// depends on the contents of a file that is known by its name only (its status) writes the names:
// it commutes with nothing that is about files.
//
// What follows a step without a decision (a mutex initialised, a thread created) belongs to it: a
// *slot* is a decision with all steps up to the next one.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/random.h"
#include "model/trace.h"

namespace ricercar::inline model {

struct Touch {
  std::uint64_t object;
  std::uint32_t size;  // bytes from there on
  bool writes;

  bool overlaps(const Touch& other) const {
    return object < other.object + other.size && other.object < object + size;
  }
};

namespace objects {
inline constexpr std::uint64_t pseudo = std::uint64_t{1} << 63;
inline constexpr std::uint64_t world = pseudo;
inline constexpr std::uint64_t task_list = pseudo + 64;
inline constexpr std::uint64_t file_names = pseudo + 80;
constexpr std::uint64_t task(std::uint64_t number) { return pseudo + 128 + 8 * number; }
// The input queue of a machine.
inline constexpr std::uint64_t queues = pseudo + (std::uint64_t{1} << 32);
constexpr std::uint64_t queue(std::uint64_t machine) { return queues + 8 * machine; }
constexpr std::uint64_t machine_of(std::uint64_t queue) { return (queue - queues) / 8; }
// The keys of thread-specific data, by number: which of them there are, and each of them.
inline constexpr std::uint64_t keys_from_before_main = 1024;  // so many numbers are the C library's
inline constexpr std::uint64_t key_list = pseudo + (std::uint64_t{1} << 48);
constexpr std::uint64_t key(std::uint64_t number) { return key_list + 8 * (number + 1); }
constexpr std::uint64_t key_number(std::uint64_t object) { return (object - key_list) / 8 - 1; }
constexpr bool is_key(std::uint64_t object) {
  return object > key_list && object < key_list + (std::uint64_t{1} << 32);
}
// The links between the nodes of a cluster, and what lies at an address of a node.
inline constexpr std::uint64_t links = pseudo + (std::uint64_t{1} << 49);
constexpr std::uint64_t link(std::uint64_t number) { return links + 8 * number; }
constexpr std::uint64_t in_node(std::uint64_t node, std::uint64_t address) {
  return address + ((node + 1) << 48);
}
// The life of a block of the heap. Blocks that several tasks touch are numbered: see
// strategy/contended_blocks.h.
inline constexpr std::uint64_t blocks = pseudo + (std::uint64_t{1} << 62);
constexpr std::uint64_t block(std::uint64_t number) { return blocks + 8 * number; }
constexpr std::uint64_t block_number(std::uint64_t object) { return (object - blocks) / 8; }
constexpr bool is_block(std::uint64_t object) { return object >= blocks; }
// What reductions tell apart in a cluster: see nodes/commuting_view.h. They take the numbers of
// blocks, which nobody else uses there, so that a footprint has room for any number of them. The
// first 64 are the nodes.
constexpr std::uint64_t node(std::uint64_t number) { return block(number); }
inline constexpr std::uint64_t reports = block(64 + 62);
inline constexpr std::uint64_t node_files = block(64 + 61);
inline constexpr std::uint64_t ends = block(64 + 60);
inline constexpr std::uint64_t injection = block(64 + 59);
// Whether a task can go on, which is about one node.
constexpr std::uint64_t gate(std::uint64_t node, std::uint64_t task) {
  return block(64 * ((std::uint64_t{1} << 20) + task) + node);
}
constexpr std::uint64_t unread(std::uint64_t link) {
  return block(64 * (link + 2) + 48 + link % 8);
}
// A message, by the task of its link. It arrives after it was sent, whatever is decided, so it is
// no part of a footprint.
inline constexpr std::uint64_t messages = pseudo + (std::uint64_t{1} << 51);
constexpr std::uint64_t message(std::uint64_t link, std::uint64_t number) {
  return messages + 8 * ((link << 32) + number);
}
// That a node can be reached: the same, for clients.
constexpr std::uint64_t ready(std::uint64_t node) { return message(max_tasks + node, 0); }
constexpr bool is_message(std::uint64_t object) {
  return object >= messages && object < 2 * (messages - pseudo) + pseudo;
}
}  // namespace objects

// The task of the step was chosen for it; other steps follow from one that was.
inline bool is_decided(const Step& step) {
  return step.options != 0 && (step.flags & step_value) == 0;
}

template <typename Visit>
void for_each_touch(const Step& step, bool decided, Visit visit) {
  if ((step.flags & step_value) != 0) return;
  if ((step.flags & step_world) != 0) visit(Touch{objects::world, 1, true});
  if ((step.open & needs_life) != 0) visit(Touch{objects::task(index(step.task)), 1, false});
  const auto touch = [&](std::uint64_t object, bool writes) { visit(Touch{object, 1, writes}); };
  const std::uint32_t size = step.size == 0 ? 1 : step.size;
  switch (info(step.kind).touches) {
    case Touches::nothing:
      return;
    case Touches::reads:
      return visit(Touch{step.object, size, false});
    case Touches::writes:
      return visit(Touch{step.object, size, true});
    case Touches::if_chosen:
      if (decided) touch(step.object, true);
      return;
    case Touches::and_its_lock:
      touch(step.object, true);
      if (step.value != 0) touch(step.value, true);
      return;
    case Touches::task_list:
      return touch(objects::task_list, true);
    case Touches::own_end:
      return touch(objects::task(index(step.task)), true);
    case Touches::others_end:
      if (decided) touch(objects::task(step.object), false);
      return;
    case Touches::other_task:
      return touch(objects::task(step.object), true);
    case Touches::file_names:
      return touch(objects::file_names, false);
    case Touches::changes_names:
    case Touches::fixes_names:
      return touch(objects::file_names, true);
    case Touches::reads_file:
    case Touches::writes_file:
      touch(objects::file_names, false);
      return touch(step.object, info(step.kind).touches == Touches::writes_file);
    case Touches::key_list:
      return touch(objects::key_list, true);
    case Touches::key_and_list:
      touch(objects::key_list, true);
      return touch(step.object, true);
    case Touches::block:
    case Touches::frees_block:
      return touch(objects::block(step.object), info(step.kind).touches == Touches::frees_block);
  }
}

// The part of what happened to the heap that belongs to the steps [begin, end).
inline HeapTrace heap_between(HeapTrace heap, std::uint64_t begin, std::uint64_t end) {
  const auto before = [](const HeapUse& use, std::uint64_t step) { return use.step < step; };
  const auto first = std::lower_bound(heap.begin(), heap.end(), begin, before);
  return {first, std::lower_bound(first, heap.end(), end, before)};
}

// What an operation that may have to wait needs of its object (see Open in trace.h).
struct Gate {
  std::uint8_t open = 0;  // 0: it never has to wait
  bool timed = false;     // it may also go on without, when its time comes
};

constexpr Gate gate_of(OperationKind kind) {
  switch (info(kind).waits_for) {
    case WaitsFor::nothing:
    case WaitsFor::attempt:
      return {};
    case WaitsFor::one:
      return {open_to_one, false};
    case WaitsFor::one_timed:
      return {open_to_one, true};
    case WaitsFor::readers:
      return {open_to_readers, false};
    case WaitsFor::readers_timed:
      return {open_to_readers, true};
  }
  return {};
}

// What a slot touches, in brief. More than three objects count as everything. Blocks of the heap
// are kept as bits: from the 65th on some of them count as one.
class Footprint {
 public:
  static Footprint all() {
    Footprint result;
    result.all_ = true;
    return result;
  }

  void add(const Touch& touch) {
    if (objects::is_message(touch.object)) return;
    if (objects::is_block(touch.object)) {
      (touch.writes ? frees_ : uses_) |= bit_of(touch.object);
      return;
    }
    if (all_) return;
    if (count_ == most_objects) {
      all_ = true;
      return;
    }
    objects_[count_] = touch.object;
    sizes_[count_] = static_cast<std::uint8_t>(std::min<std::uint32_t>(touch.size, 255));
    writes_[count_++] = touch.writes;
  }
  void add(const Step& step, bool decided) {
    if (step.kind == OperationKind::exit) all_ = true;
    for_each_touch(step, decided, [this](const Touch& touch) { add(touch); });
  }

  // An operation that has not happened: which block its object is in is not known.
  void add_pending(const Step& step) {
    add(step, true);
    uses_ = ~std::uint64_t{0};
  }

  bool operator==(const Footprint& other) const {
    if (all_ != other.all_ || count_ != other.count_) return false;
    if (uses_ != other.uses_ || frees_ != other.frees_) return false;
    for (std::uint8_t i = 0; i < count_; ++i) {
      if (objects_[i] != other.objects_[i] || sizes_[i] != other.sizes_[i]) return false;
      if (writes_[i] != other.writes_[i]) return false;
    }
    return true;
  }
  std::uint64_t hash() const {
    std::uint64_t result = mix64(uses_ ^ mix64(frees_ + (all_ ? 1 : 0)));
    for (std::uint8_t i = 0; i < count_; ++i) {
      result = mix64(result ^ objects_[i]) + sizes_[i] * 2U + (writes_[i] ? 1 : 0);
    }
    return result;
  }

  // As bytes, for another process: see base/bytes.h.
  template <typename Writer>
  void write(Writer& writer) const {
    writer.number(count_ + (all_ ? 4U : 0U));
    writer.number(uses_);
    writer.number(frees_);
    for (std::uint8_t i = 0; i < count_; ++i) {
      writer.number(objects_[i]);
      writer.number(sizes_[i] * 2U + (writes_[i] ? 1U : 0U));
    }
  }
  template <typename Reader>
  static Footprint read(Reader& reader) {
    Footprint result;
    const std::uint64_t head = reader.number();
    result.all_ = (head & 4) != 0;
    result.uses_ = reader.number();
    result.frees_ = reader.number();
    for (result.count_ = 0; result.count_ < (head & 3); ++result.count_) {
      result.objects_[result.count_] = reader.number();
      const std::uint64_t size = reader.number();
      result.sizes_[result.count_] = static_cast<std::uint8_t>(size / 2);
      result.writes_[result.count_] = size % 2 != 0;
    }
    return result;
  }

  bool depends_on(const Footprint& other) const {
    if (all_ || other.all_) return true;
    if ((frees_ & (other.uses_ | other.frees_)) != 0 || (uses_ & other.frees_) != 0) return true;
    for (std::uint8_t i = 0; i < count_; ++i) {
      for (std::uint8_t j = 0; j < other.count_; ++j) {
        if ((writes_[i] || other.writes_[j]) && touch(i).overlaps(other.touch(j))) return true;
      }
    }
    return false;
  }

 private:
  static constexpr std::uint8_t most_objects = 3;

  static std::uint64_t bit_of(std::uint64_t block) {
    return std::uint64_t{1} << objects::block_number(block) % 64;
  }
  Touch touch(std::uint8_t i) const { return {objects_[i], sizes_[i], writes_[i]}; }

  std::uint64_t uses_ = 0;  // blocks of the heap
  std::uint64_t frees_ = 0;
  std::uint64_t objects_[most_objects];
  std::uint8_t sizes_[most_objects];
  bool writes_[most_objects];
  std::uint8_t count_ = 0;
  bool all_ = false;
};

}  // namespace ricercar::inline model
