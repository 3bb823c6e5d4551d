// The sanitizer's interface for atomics.
#include "threads/entry.h"
#include "threads/memory_access.h"

namespace ricercar::inline hooks {
namespace {

__extension__ using Int128 = __int128;

std::uint64_t address_of(const volatile void* object) {
  return one_address(reinterpret_cast<std::uint64_t>(object));
}

[[gnu::always_inline]] inline void point(OperationKind kind, std::uint64_t object,
                                         std::uint8_t size, std::uint64_t site) {
  if (execution.options().points_at(Points::atomic)) {
    if (execution.options().points_at(Points::shared) && !is_ordered()) {
      const bool is_write = access_of(kind) == Access::write;
      execution.accesses.sharing.touch(execution.self().id, object, size, is_write);
    }
    execution.point_at(kind, object, site, size);
  } else {
    count_atomic(site);
  }
}

template <typename T>
void set_value(T value) {
  if (execution.options().points_at(Points::atomic)) {
    execution.steps.last().value = static_cast<std::uint64_t>(value);
  }
}

using RaceCheck = const Race* (RaceDetector::*)(TaskId, std::uint64_t, std::uint32_t, Order,
                                                std::uint64_t, std::uint64_t);

template <RaceCheck check>
[[gnu::always_inline]] inline void look_for_race(std::uint64_t object, std::uint32_t size,
                                                 int order, std::uint64_t site) {
  if (__builtin_expect(execution.recorder() != nullptr, 0)) record_atomic(order, site);
  RaceDetector* races = execution.races();
  if (races == nullptr) return;
  const Race* race = (races->*check)(execution.self().id, object, size, static_cast<Order>(order),
                                     site, execution.accesses.event);
  if (__builtin_expect(race != nullptr, 0)) report_race(*race);
}

template <typename T>
T load(const volatile T* object, int order, std::uint64_t site) {
  if (!controlled()) return *object;
  check_spin(execution.self(), site);
  const std::uint64_t address = address_of(object);
  point(OperationKind::atomic_load, address, sizeof(T), site);
  check_freed(address, sizeof(T), false, site);
  const T value = *object;
  set_value(value);
  look_for_race<&RaceDetector::atomic_load>(address, sizeof(T), order, site);
  return value;
}

template <typename T>
void store(volatile T* object, T value, int order, std::uint64_t site) {
  if (!controlled()) {
    *object = value;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return;
  }
  reset_spin(execution.self());
  const std::uint64_t address = address_of(object);
  point(OperationKind::atomic_store, address, sizeof(T), site);
  check_freed(address, sizeof(T), true, site);
  *object = value;
  set_value(value);
  look_for_race<&RaceDetector::atomic_store>(address, sizeof(T), order, site);
}

// Threads that are not under control may share the object, so outside of a search the compiler's
// own atomics are used, as one loop over compare-exchange.
template <typename T, typename Change>
T update_uncontrolled(volatile T* object, Change change) {
  T before = *object;
  while (!__sync_bool_compare_and_swap(object, before, change(before))) before = *object;
  return before;
}

template <typename T, typename Change>
T update(volatile T* object, int order, std::uint64_t site, Change change) {
  if (!controlled()) return update_uncontrolled(object, change);
  reset_spin(execution.self());
  const std::uint64_t address = address_of(object);
  point(OperationKind::atomic_update, address, sizeof(T), site);
  check_freed(address, sizeof(T), true, site);
  const T before = *object;
  *object = change(before);
  set_value<T>(*object);
  look_for_race<&RaceDetector::atomic_update>(address, sizeof(T), order, site);
  return before;
}

// A weak compare-exchange may fail without a reason, if the user asked for that; but not twice in a
// row, so that the loops around it end.
template <typename T>
bool fails_for_no_reason(const volatile T* object, std::uint64_t site) {
  Task& self = execution.self();
  if (!execution.options().weak_failures) return false;
  self.failed_weakly =
      !self.failed_weakly && execution.choose_value(2, OperationKind::atomic_compare_exchange,
                                                    const_cast<const T*>(object), site) == 1;
  if (self.failed_weakly) reset_spin(self);
  return self.failed_weakly;
}

template <typename T>
bool compare_exchange(volatile T* object, T* expected, T desired, int order, int failure_order,
                      bool weak, std::uint64_t site) {
  if (!controlled()) {
    const T found = __sync_val_compare_and_swap(object, *expected, desired);
    if (found == *expected) return true;
    *expected = found;
    return false;
  }
  check_spin(execution.self(), site);
  const std::uint64_t address = address_of(object);
  point(OperationKind::atomic_compare_exchange, address, sizeof(T), site);
  check_freed(address, sizeof(T), true, site);
  const T found = *object;
  Step& step = execution.steps.last();  // before that of a weak failure
  set_value(found);
  if (found == *expected && !(weak && fails_for_no_reason(object, site))) {
    *object = desired;
    if (execution.options().points_at(Points::atomic))
      step.value = static_cast<std::uint64_t>(desired);
    reset_spin(execution.self());
    execution.turns.written(execution.self());
    look_for_race<&RaceDetector::atomic_update>(address, sizeof(T), order, site);
    return true;
  }
  if (execution.options().points_at(Points::atomic)) step.flags |= step_failed;
  look_for_race<&RaceDetector::atomic_load>(address, sizeof(T), failure_order, site);
  *expected = found;
  return false;
}

}  // namespace
}  // namespace ricercar::inline hooks

#define RICERCAR_UPDATE(bits, type, name, expression)                                          \
  RICERCAR_HOOK type __tsan_atomic##bits##_##name(volatile type* object, type operand,         \
                                                  int order) {                                 \
    return ricercar::update(object, order, RICERCAR_SITE(),                                    \
                            [operand](type before) { return static_cast<type>(expression); }); \
  }

#define RICERCAR_COMPARE_EXCHANGE(bits, type, name, weak)                                    \
  RICERCAR_ENTRY(__tsan_atomic##bits##_compare_exchange_##name);                             \
  RICERCAR_BODY int ricercar_body___tsan_atomic##bits##_compare_exchange_##name(             \
      volatile type* object, type* expected, type desired, int order, int failure_order) {   \
    return ricercar::compare_exchange(object, expected, desired, order, failure_order, weak, \
                                      RICERCAR_SITE());                                      \
  }

#define RICERCAR_ATOMIC(bits, type)                                                              \
  RICERCAR_ENTRY(__tsan_atomic##bits##_load);                                                    \
  RICERCAR_BODY type ricercar_body___tsan_atomic##bits##_load(const volatile type* object,       \
                                                              int order) {                       \
    return ricercar::load(object, order, RICERCAR_SITE());                                       \
  }                                                                                              \
  RICERCAR_HOOK void __tsan_atomic##bits##_store(volatile type* object, type value, int order) { \
    ricercar::store(object, value, order, RICERCAR_SITE());                                      \
  }                                                                                              \
  RICERCAR_UPDATE(bits, type, exchange, (static_cast<void>(before), operand))                    \
  RICERCAR_UPDATE(bits, type, fetch_add, before + operand)                                       \
  RICERCAR_UPDATE(bits, type, fetch_sub, before - operand)                                       \
  RICERCAR_UPDATE(bits, type, fetch_and, before& operand)                                        \
  RICERCAR_UPDATE(bits, type, fetch_or, before | operand)                                        \
  RICERCAR_UPDATE(bits, type, fetch_xor, before ^ operand)                                       \
  RICERCAR_UPDATE(bits, type, fetch_nand, ~(before & operand))                                   \
  RICERCAR_COMPARE_EXCHANGE(bits, type, strong, false)                                           \
  RICERCAR_COMPARE_EXCHANGE(bits, type, weak, true)                                              \
  RICERCAR_ENTRY(__tsan_atomic##bits##_compare_exchange_val);                                    \
  RICERCAR_BODY type ricercar_body___tsan_atomic##bits##_compare_exchange_val(                   \
      volatile type* object, type expected, type desired, int order, int failure_order) {        \
    ricercar::compare_exchange(object, &expected, desired, order, failure_order, false,          \
                               RICERCAR_SITE());                                                 \
    return expected;                                                                             \
  }

RICERCAR_ATOMIC(8, std::uint8_t)
RICERCAR_ATOMIC(16, std::uint16_t)
RICERCAR_ATOMIC(32, std::uint32_t)
RICERCAR_ATOMIC(64, std::uint64_t)
RICERCAR_ATOMIC(128, ricercar::Int128)

RICERCAR_HOOK void __tsan_atomic_thread_fence(int order) {
  if (!ricercar::controlled()) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return;
  }
  ricercar::execution.note(ricercar::OperationKind::fence, nullptr, RICERCAR_SITE());
  if (auto* races = ricercar::execution.races()) {
    races->fence(ricercar::execution.self().id, static_cast<ricercar::Order>(order));
  }
}
RICERCAR_HOOK void __tsan_atomic_signal_fence(int) {}

// The functions of libatomic for whole words: what a compiler calls for 16 bytes if it may not use
// the instruction, and what libraries call that were compiled for any machine. They take the same
// arguments; those that return the new value have no twin.
#define RICERCAR_ALIAS(name, same) \
  asm(".globl " #name "\n.type " #name ", @function\n.set " #name ", " #same "\n")

// Names of our own, because the compilers know functions of those names and have opinions on them.
#define RICERCAR_CHANGE(bytes, type, name, expression)                                         \
  RICERCAR_HOOK type ricercar_##name##_fetch_##bytes(                                          \
      volatile type* object, type operand, int order) asm("__atomic_" #name "_fetch_" #bytes); \
  type ricercar_##name##_fetch_##bytes(volatile type* object, type operand, int order) {       \
    const auto change = [operand](type before) { return static_cast<type>(expression); };      \
    return change(ricercar::update(object, order, RICERCAR_SITE(), change));                   \
  }

#define RICERCAR_LIBATOMIC(bytes, bits, type)                                         \
  RICERCAR_ALIAS(__atomic_load_##bytes, __tsan_atomic##bits##_load);                  \
  RICERCAR_ALIAS(__atomic_store_##bytes, __tsan_atomic##bits##_store);                \
  RICERCAR_ALIAS(__atomic_exchange_##bytes, __tsan_atomic##bits##_exchange);          \
  RICERCAR_ALIAS(__atomic_compare_exchange_##bytes,                                   \
                 __tsan_atomic##bits##_compare_exchange_strong);                      \
  RICERCAR_ALIAS(__atomic_fetch_add_##bytes, __tsan_atomic##bits##_fetch_add);        \
  RICERCAR_ALIAS(__atomic_fetch_sub_##bytes, __tsan_atomic##bits##_fetch_sub);        \
  RICERCAR_ALIAS(__atomic_fetch_and_##bytes, __tsan_atomic##bits##_fetch_and);        \
  RICERCAR_ALIAS(__atomic_fetch_or_##bytes, __tsan_atomic##bits##_fetch_or);          \
  RICERCAR_ALIAS(__atomic_fetch_xor_##bytes, __tsan_atomic##bits##_fetch_xor);        \
  RICERCAR_ALIAS(__atomic_fetch_nand_##bytes, __tsan_atomic##bits##_fetch_nand);      \
  RICERCAR_CHANGE(bytes, type, add, before + operand)                                 \
  RICERCAR_CHANGE(bytes, type, sub, before - operand)                                 \
  RICERCAR_CHANGE(bytes, type, and, before& operand)                                  \
  RICERCAR_CHANGE(bytes, type, or, before | operand)                                  \
  RICERCAR_CHANGE(bytes, type, xor, before ^ operand)                                 \
  RICERCAR_CHANGE(bytes, type, nand, ~(before & operand))                             \
  RICERCAR_HOOK bool ricercar_test_and_set_##bytes(                                   \
      volatile std::uint8_t* object, int order) asm("__atomic_test_and_set_" #bytes); \
  bool ricercar_test_and_set_##bytes(volatile std::uint8_t* object, int order) {      \
    const auto set = [](std::uint8_t) { return std::uint8_t{1}; };                    \
    return ricercar::update(object, order, RICERCAR_SITE(), set) != 0;                \
  }

RICERCAR_LIBATOMIC(1, 8, std::uint8_t)
RICERCAR_LIBATOMIC(2, 16, std::uint16_t)
RICERCAR_LIBATOMIC(4, 32, std::uint32_t)
RICERCAR_LIBATOMIC(8, 64, std::uint64_t)
RICERCAR_LIBATOMIC(16, 128, ricercar::Int128)
