#include "report/phrases.h"

#include <fmt/format.h>
#include <string.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <iterator>
#include <string_view>

#include "model/messages.h"
#include "report/style.h"

namespace ricercar::inline report {
namespace {

std::uint64_t low_bytes(std::uint64_t value, std::uint32_t size) {
  return size == 0 || size >= 8 ? value : value & ((std::uint64_t{1} << (8 * size)) - 1);
}

std::int64_t sign_extended(std::uint64_t value, std::uint32_t size) {
  if (size == 0 || size >= 8) return static_cast<std::int64_t>(value);
  const std::uint32_t shift = 64 - 8 * size;
  return static_cast<std::int64_t>(value << shift) >> shift;
}

std::string floating_text(std::uint64_t value, std::uint32_t size) {
  if (size == 4) return fmt::format("{}", std::bit_cast<float>(static_cast<std::uint32_t>(value)));
  return fmt::format("{}", std::bit_cast<double>(value));
}

std::string character_text(std::uint64_t value) {
  if (value < 0x7f && std::isprint(static_cast<int>(value))) {
    return fmt::format("'{}'", static_cast<char>(value));
  }
  return fmt::format("{}", value);
}

std::string enumerator_text(const Variable& variable, std::uint64_t value, std::uint32_t size) {
  const std::int64_t number = sign_extended(value, size);
  for (const auto& [enumerator, name] : variable.enumerators) {
    if (enumerator == number || enumerator == static_cast<std::int64_t>(value)) return name;
  }
  return fmt::format("{}", number);
}

// 0 is null; anything else is called by what it points to.
std::string pointer_text(Names& names, std::uint64_t value) {
  if (value == 0) return "null";
  const RecordedAllocation* block = names.allocation(value);
  if (block != nullptr && block->address == value) return "&" + names.block(value);
  const bool is_known =
      block != nullptr || names.owner_of_stack(value) != nullptr || names.symbols().global(value);
  if (is_known) return "&" + names.object(value).name;
  // One further: an address is taken for a return address, which lies behind the call.
  const std::vector<Frame> code = names.symbols().frames(value + 1);
  const bool is_function = !code.empty() && !code.back().function.empty();
  return is_function ? "&" + code.back().function : fmt::format("{:#x}", value);
}

// Without a type: small numbers as they are, the top of the range as negative, the rest as
// addresses or bits.
std::string untyped_text(Names& names, std::uint64_t value, std::uint32_t size) {
  constexpr std::int64_t small = 1 << 24;
  const std::int64_t number = sign_extended(value, size);
  if (size == 1) return fmt::format("{}", value);
  if (number > -small && number < (std::int64_t{1} << 32)) return fmt::format("{}", number);
  return size == 8 ? pointer_text(names, value) : fmt::format("{:#x}", value);
}

// Verbs that are followed by a value: "stores ready = 1" rather than "stores to ready".
std::string verb(const Step& step) {
  switch (step.kind) {
    case OperationKind::atomic_store:
      return "stores";
    case OperationKind::atomic_compare_exchange:
      return "exchanges";
    default:
      return info(step.kind).words;
  }
}

// The strongest order is the default, and nothing to look at.
std::string order_words(std::uint8_t order) {
  constexpr const char* words[] = {" (relaxed)", " (consume)", " (acquire)", " (release)",
                                   " (acquire and release)"};
  return order < std::size(words) ? words[order] : "";
}

Phrase memory_phrase(Names& names, const RecordedEvent& event, const ObjectName& object) {
  const Step& step = event.step;
  const std::string& name = object.name;
  const std::string order = order_words(event.order);
  const bool is_plain = step.kind == OperationKind::read || step.kind == OperationKind::write;
  if (is_plain && object.variable.is_internal) {
    return {fmt::format("{} {}{}", verb(step), name, order), name};
  }
  const std::string value = value_text(names, object.variable, step.value, step.size);
  if (step.kind == OperationKind::atomic_compare_exchange && (step.flags & step_failed) != 0) {
    return {fmt::format("fails to exchange {} (is {}){}", name, value, order), name, value};
  }
  if (step.size > 8) {
    return {fmt::format("{} {} ({} bytes){}", verb(step), name, step.size, order), name};
  }
  return {fmt::format("{} {} = {}{}", verb(step), name, value, order), name, value};
}

Phrase task_phrase(const Step& step, std::uint64_t number) {
  const std::string target = Names::task(task_id(static_cast<std::uint32_t>(number)));
  return {fmt::format("{} {}", info(step.kind).words, target), target};
}

Phrase signal_phrase(const Step& step) {
  const char* name = ::sigabbrev_np(static_cast<int>(step.value));
  const std::string signal =
      name != nullptr ? std::string("SIG") + name : fmt::format("signal {}", step.value);
  const std::string target = Names::task(task_id(static_cast<std::uint32_t>(step.object)));
  return {fmt::format("delivers {} to {}", signal, target), target, signal};
}

std::string outcome_of_try(const Step& step) {
  if ((step.flags & step_timeout) != 0) return ": times out";
  if ((step.flags & step_failed) != 0) return ": taken";
  if ((step.flags & step_spurious) != 0) return " (spuriously)";
  return {};
}

bool may_fail(OperationKind kind) {
  switch (kind) {
    case OperationKind::try_lock:
    case OperationKind::try_read_lock:
    case OperationKind::try_write_lock:
    case OperationKind::semaphore_try_wait:
      return true;
    default:
      return false;
  }
}

// Whom a signal or a broadcast reached: a wake-up that nobody waited for is lost.
std::string reached(const Step& step) {
  const bool nobody =
      step.kind == OperationKind::signal ? (step.flags & step_failed) != 0 : step.value == 0;
  if (nobody) return ": nobody waits";
  if (step.kind == OperationKind::broadcast) {
    return fmt::format(" (wakes {})", counted(step.value, "thread"));
  }
  return fmt::format(" (wakes {})", Names::task(task_id(static_cast<std::uint32_t>(step.value))));
}

Phrase synchronisation_phrase(const Step& step, const std::string& object) {
  const std::string text = fmt::format("{} {}", info(step.kind).words, object);
  switch (step.kind) {
    case OperationKind::signal:
    case OperationKind::broadcast:
      return {text + reached(step), object};
    case OperationKind::semaphore_post:
      return {fmt::format("{} (now {})", text, step.value), object, std::to_string(step.value)};
    default:
      break;
  }
  const bool succeeds = may_fail(step.kind) && outcome_of_try(step).empty();
  return {text + (succeeds ? ": gets it" : outcome_of_try(step)), object};
}

std::string call_phrase(const Names& names, const RecordedEvent& event) {
  const Array<RecordedCall>& calls = names.recording().calls;
  const auto* found = std::lower_bound(
      calls.begin(), calls.end(), event.step_index,
      [](const RecordedCall& call, std::uint64_t step) { return call.step_index < step; });
  const bool is_named = found != calls.end() && found->step_index == event.step_index;
  return is_named ? harmless(found->words) : info(event.step.kind).words;
}

}  // namespace

std::string value_text(Names& names, const Variable& variable, std::uint64_t value,
                       std::uint32_t size) {
  value = low_bytes(value, size);
  // A part of a variable, or several together, is not a value of the variable's type.
  const bool fits = variable.size == 0 || variable.size == size;
  switch (fits ? variable.kind : ValueKind::unknown) {
    case ValueKind::boolean:
      return value == 0 ? "false" : "true";
    case ValueKind::character:
      return character_text(value);
    case ValueKind::signed_integer:
      return fmt::format("{}", sign_extended(value, size));
    case ValueKind::unsigned_integer:
      return fmt::format("{}", value);
    case ValueKind::floating:
      return floating_text(value, size);
    case ValueKind::pointer:
      return pointer_text(names, value);
    case ValueKind::enumeration:
      return enumerator_text(variable, value, size);
    case ValueKind::unknown:
      break;
  }
  return untyped_text(names, value, size);
}

Phrase phrase(Names& names, const RecordedEvent& event, std::size_t event_index) {
  const Step& step = event.step;
  switch (step.kind) {
    case OperationKind::create:
    case OperationKind::cancel:
      return task_phrase(step, step.value);
    case OperationKind::join:
    case OperationKind::detach:
      return task_phrase(step, step.object);
    case OperationKind::deliver:
      return signal_phrase(step);
    case OperationKind::choose:
      return {fmt::format("chooses {} of 0..{}", step.value, step.options - 1), "",
              std::to_string(step.value)};
    case OperationKind::cancel_look:
      return {info(step.kind).words};
    case OperationKind::release:
      return {"frees " + names.block(step.object), names.block(step.object)};
    case OperationKind::key_create:
      return {"creates a thread key"};
    case OperationKind::exit:
      return {fmt::format("exits the program with status {}", step.value), "",
              std::to_string(step.value)};
    default:
      break;
  }
  if (is_file_call(step.kind)) return {call_phrase(names, event)};
  if (step.object == 0) return {info(step.kind).words};
  const ObjectName& object = names.object(step.object, event_index);
  if (is_memory_access(step.kind)) return memory_phrase(names, event, object);
  return synchronisation_phrase(step, object.name);
}

bool is_race_with_free(const RecordedOutcome& outcome) {
  return std::string_view(outcome.message).starts_with(free_by);
}

std::string access_phrase(Names& names) {
  const RecordedOutcome& outcome = names.recording().outcome;
  const RecordedAllocation* block = names.allocation(outcome.object);
  const std::string verb = access_verb(outcome);
  const bool is_whole_block = verb == "frees" && block != nullptr;
  return verb + " " +
         (is_whole_block ? names.block(block->address) : names.object(outcome.object).name);
}

std::string use_of_freed(Names& names) {
  const RecordedOutcome& outcome = names.recording().outcome;
  const std::string_view message = outcome.message;
  const std::string name = names.object(outcome.object).name;
  // "locks a mutex in a freed block": an operation has a better verb than its access.
  const std::size_t end = message.find(" a ");
  const bool is_operation = outcome.is_write && !message.starts_with("writes ") &&
                            !message.starts_with("frees ") && end != std::string_view::npos;
  const std::string verb(is_operation ? message.substr(0, end) : access_verb(outcome));
  return fmt::format("{} {}, which is freed", verb, name);
}

const char* access_verb(const RecordedOutcome& outcome) {
  const std::string_view message = outcome.message;
  if (is_race_with_free(outcome) || message.starts_with("frees ")) return "frees";
  return outcome.is_write ? "writes" : "reads";
}

std::string awaited_object(Names& names, const Operation& waiting) {
  if (waiting.kind == OperationKind::join) {
    return Names::task(task_id(static_cast<std::uint32_t>(waiting.object)));
  }
  const bool has_object = waiting.object != 0 && waiting.kind != OperationKind::deliver;
  return has_object ? names.object(waiting.object).name : "";
}

OperationKind access_kind(const RecordedOutcome& outcome) {
  if (is_race_with_free(outcome)) return OperationKind::release;
  return outcome.is_write ? OperationKind::write : OperationKind::read;
}

std::string waiting_phrase(Names& names, const Operation& waiting, const std::string& quote) {
  const std::string name = awaited_object(names, waiting);
  if (waiting.kind == OperationKind::join) return "waits to join " + name;
  if (name.empty()) return std::string("cannot go on: it ") + info(waiting.kind).words;
  const std::string object = quote + name + quote;
  switch (waiting.kind) {
    case OperationKind::wait:
    case OperationKind::timed_wait:
    case OperationKind::wake:
      if (names.is_futex(waiting.object)) return "waits for a notification of " + object;
      return "waits on " + object + " for a signal";
    case OperationKind::barrier_arrive:
    case OperationKind::barrier_leave:
      return "waits at barrier " + object;
    case OperationKind::semaphore_wait:
      return "waits for semaphore " + object;
    case OperationKind::futex_wait:
    case OperationKind::futex_timed_wait:
      return "waits for a notification of " + object;
    case OperationKind::read_lock:
      return "waits to read-lock " + object;
    case OperationKind::write_lock:
      return "waits to write-lock " + object;
    default:
      return "waits for " + object;
  }
}

}  // namespace ricercar::inline report
