// Hooks: libatomic's functions for objects of any size (std::atomic of 3 or 12 bytes, _Atomic
// structures of C). The compiler calls them also under -fsanitize=thread.
#include <algorithm>
#include <atomic>
#include <cstring>

#include "threads/entry.h"
#include "threads/memory_access.h"

namespace ricercar::inline hooks {
namespace {

__extension__ using Int128 = __int128;

struct Object {
  char* bytes;
  std::size_t size;

  std::uint64_t address() const { return reinterpret_cast<std::uint64_t>(bytes); }
  std::uint32_t width() const { return static_cast<std::uint32_t>(size); }
};

Object object_at(const volatile void* address, std::size_t size) {
  return {static_cast<char*>(const_cast<void*>(address)), size};
}

// --- Not under control: threads of the system may share the object. ---

// Objects of these sizes may be accessed by instructions elsewhere, so it must be instructions
// here.
bool is_word(const Object& object) {
  const bool has_size = object.size == 1 || object.size == 2 || object.size == 4 ||
                        object.size == 8 || object.size == 16;
  return has_size && object.address() % object.size == 0;
}

std::atomic_flag locks[64];

class ByteLock {
 public:
  explicit ByteLock(const Object& object) : flag_(locks[object.address() / 16 % 64]) {
    while (flag_.test_and_set(std::memory_order_acquire)) __builtin_ia32_pause();
  }
  ~ByteLock() { flag_.clear(std::memory_order_release); }
  ByteLock(const ByteLock&) = delete;
  ByteLock& operator=(const ByteLock&) = delete;

 private:
  std::atomic_flag& flag_;
};

template <typename T>
bool exchange_word(const Object& object, void* expected, const void* desired) {
  T before;
  T after;
  std::memcpy(&before, expected, sizeof(T));
  std::memcpy(&after, desired, sizeof(T));
  const T found =
      __sync_val_compare_and_swap(reinterpret_cast<volatile T*>(object.bytes), before, after);
  if (found == before) return true;
  std::memcpy(expected, &found, sizeof(T));
  return false;
}

// The object becomes `desired` if it is `expected`; otherwise `expected` becomes what it is.
bool exchange_uncontrolled(const Object& object, void* expected, const void* desired) {
  if (is_word(object)) {
    switch (object.size) {
      case 1:
        return exchange_word<std::uint8_t>(object, expected, desired);
      case 2:
        return exchange_word<std::uint16_t>(object, expected, desired);
      case 4:
        return exchange_word<std::uint32_t>(object, expected, desired);
      case 8:
        return exchange_word<std::uint64_t>(object, expected, desired);
      default:
        return exchange_word<Int128>(object, expected, desired);
    }
  }
  const ByteLock lock(object);
  const bool is_same = std::memcmp(object.bytes, expected, object.size) == 0;
  if (is_same) {
    std::memcpy(object.bytes, desired, object.size);
  } else {
    std::memcpy(expected, object.bytes, object.size);
  }
  return is_same;
}

template <typename T>
void load_word(const Object& object, void* result) {
  const T value = __atomic_load_n(reinterpret_cast<const T*>(object.bytes), __ATOMIC_SEQ_CST);
  std::memcpy(result, &value, sizeof(T));
}

void load_uncontrolled(const Object& object, void* result) {
  switch (is_word(object) ? object.size : 0) {
    case 1:
      return load_word<std::uint8_t>(object, result);
    case 2:
      return load_word<std::uint16_t>(object, result);
    case 4:
      return load_word<std::uint32_t>(object, result);
    case 8:
      return load_word<std::uint64_t>(object, result);
    case 16:
      // Zero becomes zero; anything else fails and is told.
      std::memset(result, 0, object.size);
      exchange_word<Int128>(object, result, result);
      return;
    default:
      break;
  }
  const ByteLock lock(object);
  std::memcpy(result, object.bytes, object.size);
}

void swap_uncontrolled(const Object& object, const void* value, void* before) {
  if (is_word(object)) {
    char found[16];
    std::memset(found, 0, sizeof found);
    while (!exchange_uncontrolled(object, found, value)) continue;
    if (before != nullptr) std::memcpy(before, found, object.size);
    return;
  }
  const ByteLock lock(object);
  char copy[256];
  for (std::size_t at = 0; at < object.size; at += sizeof copy) {
    const std::size_t part = std::min(sizeof copy, object.size - at);
    std::memcpy(copy, object.bytes + at, part);
    std::memcpy(object.bytes + at, static_cast<const char*>(value) + at, part);
    if (before != nullptr) std::memcpy(static_cast<char*>(before) + at, copy, part);
  }
}

// --- Under control. ---

void point(OperationKind kind, const Object& object, std::uint64_t site) {
  if (!execution.options().points_at(Points::atomic)) return count_atomic(site);
  if (execution.options().points_at(Points::shared) && !is_ordered()) {
    const bool is_write = access_of(kind) == Access::write;
    execution.accesses.sharing.touch(execution.self().id, object.address(), object.width(),
                                     is_write);
  }
  execution.point(kind, object.bytes, site,
                  static_cast<std::uint8_t>(std::min<std::size_t>(object.size, 255)));
}

// A step has room for the first eight bytes.
void set_value(Step& step, const void* bytes, std::size_t size) {
  if (!execution.options().points_at(Points::atomic)) return;
  std::uint64_t value = 0;
  std::memcpy(&value, bytes, std::min(size, sizeof value));
  step.value = value;
}

using RaceCheck = const Race* (RaceDetector::*)(TaskId, std::uint64_t, std::uint32_t, Order,
                                                std::uint64_t, std::uint64_t);

void look_for_race(RaceCheck check, const Object& object, int order, std::uint64_t site) {
  if (__builtin_expect(execution.recorder() != nullptr, 0)) record_atomic(order, site);
  RaceDetector* races = execution.races();
  if (races == nullptr) return;
  const Race* race = (races->*check)(execution.self().id, object.address(), object.width(),
                                     static_cast<Order>(order), site, execution.accesses.event);
  if (__builtin_expect(race != nullptr, 0)) report_race(*race);
}

// The caller's buffer is plain memory. What is on the task's own stack is not watched, as the
// compilers do not watch it either.
void note_buffer(const void* buffer, std::size_t size, bool is_write, std::uint64_t site) {
  const auto address = reinterpret_cast<std::uint64_t>(buffer);
  if (execution.self().fiber->stack.contains(address)) return;
  note_access(address, static_cast<std::uint32_t>(size), is_write, site);
}

void load(const Object& object, void* result, int order, std::uint64_t site) {
  check_spin(execution.self(), site);
  point(OperationKind::atomic_load, object, site);
  check_freed(object.address(), object.width(), false, site);
  set_value(execution.steps.last(), object.bytes, object.size);
  look_for_race(&RaceDetector::atomic_load, object, order, site);
  note_buffer(result, object.size, true, site);
  std::memcpy(result, object.bytes, object.size);
}

void store(const Object& object, const void* value, int order, std::uint64_t site) {
  reset_spin(execution.self());
  note_buffer(value, object.size, false, site);
  point(OperationKind::atomic_store, object, site);
  check_freed(object.address(), object.width(), true, site);
  std::memcpy(object.bytes, value, object.size);
  set_value(execution.steps.last(), object.bytes, object.size);
  look_for_race(&RaceDetector::atomic_store, object, order, site);
}

void exchange(const Object& object, const void* value, void* before, int order,
              std::uint64_t site) {
  reset_spin(execution.self());
  note_buffer(value, object.size, false, site);
  point(OperationKind::atomic_update, object, site);
  check_freed(object.address(), object.width(), true, site);
  swap_uncontrolled(object, value, before);
  set_value(execution.steps.last(), object.bytes, object.size);
  look_for_race(&RaceDetector::atomic_update, object, order, site);
  note_buffer(before, object.size, true, site);
}

bool compare_exchange(const Object& object, void* expected, const void* desired, int order,
                      int failure_order, std::uint64_t site) {
  check_spin(execution.self(), site);
  note_buffer(desired, object.size, false, site);
  point(OperationKind::atomic_compare_exchange, object, site);
  check_freed(object.address(), object.width(), true, site);
  Step& step = execution.steps.last();
  if (exchange_uncontrolled(object, expected, desired)) {
    set_value(step, object.bytes, object.size);
    reset_spin(execution.self());
    execution.turns.written(execution.self());
    look_for_race(&RaceDetector::atomic_update, object, order, site);
    return true;
  }
  set_value(step, object.bytes, object.size);
  if (execution.options().points_at(Points::atomic)) step.flags |= step_failed;
  look_for_race(&RaceDetector::atomic_load, object, failure_order, site);
  note_buffer(expected, object.size, true, site);
  return false;
}

}  // namespace
}  // namespace ricercar::inline hooks

using namespace ricercar;

RICERCAR_ENTRY(__atomic_load);
RICERCAR_BODY void ricercar_body___atomic_load(std::size_t size, const volatile void* address,
                                               void* result, int order) {
  const Object object = object_at(address, size);
  if (!controlled()) return load_uncontrolled(object, result);
  load(object, result, order, RICERCAR_SITE());
}

RICERCAR_HOOK void ricercar_atomic_store(std::size_t size, volatile void* address,
                                         const void* value, int order) asm("__atomic_store");
void ricercar_atomic_store(std::size_t size, volatile void* address, const void* value, int order) {
  const Object object = object_at(address, size);
  if (!controlled()) return swap_uncontrolled(object, value, nullptr);
  store(object, value, order, RICERCAR_SITE());
}

RICERCAR_HOOK void ricercar_atomic_exchange(std::size_t size, volatile void* address,
                                            const void* value, void* before,
                                            int order) asm("__atomic_exchange");
void ricercar_atomic_exchange(std::size_t size, volatile void* address, const void* value,
                              void* before, int order) {
  const Object object = object_at(address, size);
  if (!controlled()) return swap_uncontrolled(object, value, before);
  exchange(object, value, before, order, RICERCAR_SITE());
}

RICERCAR_ENTRY(__atomic_compare_exchange);
RICERCAR_BODY bool ricercar_body___atomic_compare_exchange(std::size_t size, volatile void* address,
                                                           void* expected, const void* desired,
                                                           int order, int failure_order) {
  const Object object = object_at(address, size);
  if (!controlled()) return exchange_uncontrolled(object, expected, desired);
  return compare_exchange(object, expected, desired, order, failure_order, RICERCAR_SITE());
}
