// The synchronisation objects of an execution, found by the address that the program uses for them.
// Their state is kept here and not in the program's memory: an object that the program has not
// initialised, or has overwritten, cannot lead the runtime astray.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "model/ids.h"
#include "model/task_set.h"
#include "threads/memory/heap.h"
#include "threads/memory/memory_state.h"

namespace ricercar::inline threads {

enum class ObjectKind : std::uint8_t { mutex, rwlock, condition, semaphore, barrier, once, futex };

inline constexpr std::uint8_t spin_lock_type = 0xff;  // the type of a mutex that is a spin lock

// One record for all kinds; each primitive's file says what the fields mean to it.
struct SyncObject {
  std::uint64_t address = 0;
  ObjectKind kind = ObjectKind::mutex;
  std::uint8_t type = 0;  // a mutex: PTHREAD_MUTEX_*
  bool destroyed = false;
  bool forgotten = false;      // its memory has ended: what is known about it counts no more
  bool of_library = false;     // inside of a FILE: the C library ends it as it likes
  std::uint32_t life = 0;      // how often its memory has ended
  TaskId destroyer = no_task;  // who destroyed it, at `site`
  TaskId owner = no_task;
  std::uint32_t count = 0;
  std::uint32_t limit = 0;
  std::uint64_t site = 0;  // where it was taken last, or destroyed
  TaskSet contenders;      // tasks whose next operation is to take it
  TaskSet readers;
  std::vector<TaskId> waiters;  // in the order of arrival
  std::uint32_t neighbour = 0;  // the next object of its page, plus 1; 0: there is none
};

class SyncObjects {
 public:
  void begin_execution() {
    used_ = 0;
    any_in_heap_ = false;
    if (++stamp_ == 0) {
      table_.assign(table_.size(), Entry{});
      pages_.assign(page_count, Page{});
      stamp_ = 1;
    }
  }
  // The object at this address, made now (`fresh` is set to true) if the execution has not seen it.
  SyncObject& at(const void* address, ObjectKind kind, bool& fresh) {
    const std::uint64_t key = one_address(reinterpret_cast<std::uint64_t>(address));
    for (std::uint64_t i = slot(key);; i = (i + 1) & mask_) {
      Entry& entry = table_[i];
      if (entry.stamp != stamp_) break;
      if (entry.key != key) continue;
      SyncObject& object = *pool_[entry.index];
      fresh = object.kind != kind || object.forgotten;
      if (fresh) renew(object, key, kind);
      return object;
    }
    fresh = true;
    return add(key, kind);
  }
  SyncObject* find(const void* address) {
    const std::uint64_t key = one_address(reinterpret_cast<std::uint64_t>(address));
    for (std::uint64_t i = slot(key); table_[i].stamp == stamp_; i = (i + 1) & mask_) {
      if (table_[i].key != key) continue;
      SyncObject* object = pool_[table_[i].index].get();
      return object->forgotten ? nullptr : object;
    }
    return nullptr;
  }
  // Whether any of them is in memory that the program may free.
  bool any_in_heap() const { return any_in_heap_; }
  // Forgets what is known about the address: it was initialised again.
  void renew(SyncObject& object, std::uint64_t address, ObjectKind kind) {
    object.address = address;
    object.kind = kind;
    object.type = 0;
    object.destroyed = false;
    object.forgotten = false;
    object.of_library = false;
    object.destroyer = no_task;
    object.owner = no_task;
    object.count = 0;
    object.limit = 0;
    object.site = 0;
    object.contenders.clear();
    object.readers.clear();
    object.waiters.clear();
  }
  template <typename Visit>
  void for_each(Visit visit) {
    for (std::uint32_t i = 0; i < used_; ++i) {
      if (!pool_[i]->forgotten) visit(*pool_[i]);
    }
  }
  // Those in [address, address + size).
  template <typename Visit>
  void for_each_in(std::uint64_t address, std::uint64_t size, Visit visit) {
    if (used_ == 0 || size == 0) return;
    const std::uint64_t last = (address + size - 1) / page_size;
    if (last - address / page_size >= used_) return for_each_of_all_in(address, size, visit);
    for (std::uint64_t page = address / page_size; page <= last; ++page) {
      const Page& first = pages_[page % page_count];
      if (first.stamp != stamp_) continue;
      for (std::uint32_t i = first.object; i != 0; i = pool_[i - 1]->neighbour) {
        visit_if_in(*pool_[i - 1], address, size, page, visit);
      }
    }
  }

 private:
  struct Entry {
    std::uint64_t key = 0;
    std::uint32_t stamp = 0;
    std::uint32_t index = 0;
  };

  // The objects of all pages whose numbers are equal modulo the size of the table.
  struct Page {
    std::uint32_t stamp = 0;
    std::uint32_t object = 0;  // its number plus 1
  };
  static constexpr std::uint64_t page_size = 4096;
  static constexpr std::uint64_t page_count = 256;

  template <typename Visit>
  static void visit_if_in(SyncObject& object, std::uint64_t address, std::uint64_t size,
                          std::uint64_t page, Visit visit) {
    const bool is_in = object.address - address < size && object.address / page_size == page;
    if (is_in && !object.forgotten) visit(object);
  }
  template <typename Visit>
  void for_each_of_all_in(std::uint64_t address, std::uint64_t size, Visit visit) {
    for_each([&](SyncObject& object) {
      if (object.address - address < size) visit(object);
    });
  }

  std::uint64_t slot(std::uint64_t key) const {
    return ((key >> 2) * 0x9e3779b97f4a7c15ULL >> 32) & mask_;
  }
  SyncObject& add(std::uint64_t key, ObjectKind kind) {
    if (used_ * 2 >= table_.size()) grow();
    if (used_ == pool_.size()) pool_.push_back(std::make_unique<SyncObject>());
    insert(key, used_);
    SyncObject& object = *pool_[used_++];
    renew(object, key, kind);
    object.life = 0;
    any_in_heap_ |= heap_contains(key);
    join_page(object);
    return object;
  }
  void join_page(SyncObject& object) {
    Page& page = pages_[object.address / page_size % page_count];
    object.neighbour = page.stamp == stamp_ ? page.object : 0;
    page = {stamp_, used_};
  }
  void insert(std::uint64_t key, std::uint32_t index) {
    std::uint64_t i = slot(key);
    while (table_[i].stamp == stamp_) i = (i + 1) & mask_;
    table_[i] = {key, stamp_, index};
  }
  void grow() {
    table_.assign(table_.size() * 2, Entry{});
    mask_ = table_.size() - 1;
    for (std::uint32_t i = 0; i < used_; ++i) insert(pool_[i]->address, i);
  }

  // A table entry counts only if its stamp is that of the running execution, so that a new
  // execution starts with an empty table without touching it.
  std::uint32_t stamp_ = 1;
  std::uint32_t used_ = 0;
  bool any_in_heap_ = false;
  std::vector<Entry> table_ = std::vector<Entry>(256);
  std::uint64_t mask_ = 255;
  std::vector<Page> pages_ = std::vector<Page>(page_count);
  std::vector<std::unique_ptr<SyncObject>> pool_;
};

}  // namespace ricercar::inline threads
