#include "worker/own_priority.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "ricercar/abi.h"
#include "strategy/priority.h"
#include "threads/entry.h"
#include "threads/process.h"
#include "worker/worker.h"

namespace ricercar::inline worker {
namespace {

// What passes through the C interface is the trace itself.
static_assert(sizeof(ricercar_step) == sizeof(Step));
static_assert(offsetof(ricercar_step, value) == offsetof(Step, value));
static_assert(offsetof(ricercar_step, task) == offsetof(Step, task));
static_assert(offsetof(ricercar_step, kind) == offsetof(Step, kind));
static_assert(offsetof(ricercar_step, size) == offsetof(Step, size));
static_assert(offsetof(ricercar_step, options) == offsetof(Step, options));

constexpr std::size_t max_registrations = 64;
constexpr std::size_t longest_name = 63;
constexpr std::size_t longest_message = 511;

// Filled by static constructors, before anything of the search is there.
struct Registration {
  char name[longest_name + 1];
  ricercar_priority function;
  void* context;
};
Registration registrations[max_registrations];
std::size_t registration_count = 0;

const char* running = nullptr;
std::uint64_t calls = 0;
bool has_failed = false;
char failure[longest_message + 1];

class CallOwnPriority : public PriorityFunction {
 public:
  explicit CallOwnPriority(const Registration& registration) : own_(registration) {}

  std::uint16_t priority(const Candidate& candidate) override {
    running = own_.name;
    ++calls;
    const std::uint32_t result =
        own_.function(own_.context, reinterpret_cast<const ricercar_step*>(candidate.trace.data()),
                      candidate.trace.size(), candidate.step, index(candidate.task));
    running = nullptr;
    if (has_failed) fail();
    return static_cast<std::uint16_t>(std::min<std::uint32_t>(result, 0xffff));
  }

 private:
  [[noreturn]] void fail() const {
    has_failed = false;
    throw UsageError("the program's own priority '" + std::string(own_.name) +
                     "' threw: " + failure);
  }

  const Registration own_;
};

std::string objection_to(std::string_view name) {
  if (name.empty() || name.size() > longest_name ||
      name.find_first_of("+=,: ") != std::string_view::npos) {
    return "a name has at most 63 characters and none of + = , : and space";
  }
  for (const PriorityInfo& info : priorities()) {
    if (info.name == name) return "Ricercar has one of this name";
  }
  for (std::size_t i = 0; i < registration_count; ++i) {
    if (registrations[i].name == name) return "the name is taken";
  }
  return registration_count == max_registrations ? "there are 64 already" : "";
}

void add(const char* name, ricercar_priority function, void* context) {
  if (const std::string objection = objection_to(name); !objection.empty()) {
    const std::string message = "the program registers a priority '" + std::string(name) +
                                "', which is not possible: " + objection + "\n";
    stop_search_now(message.c_str());
  }
  Registration& registration = registrations[registration_count++];
  std::memcpy(registration.name, name, std::strlen(name) + 1);
  registration.function = function;
  registration.context = context;
}

}  // namespace

std::vector<OwnPriority> own_priorities() {
  std::vector<OwnPriority> result;
  for (std::size_t i = 0; i < registration_count; ++i) {
    const Registration& own = registrations[i];
    result.push_back({own.name, [&own] { return std::make_unique<CallOwnPriority>(own); }});
  }
  return result;
}

const char* running_own_priority() { return running; }
std::uint64_t own_priority_calls() { return calls; }

}  // namespace ricercar::inline worker

RICERCAR_HOOK void ricercar_register_priority(const char* name, ricercar_priority function,
                                              void* context) {
  ricercar::add(name, function, context);
}

RICERCAR_HOOK void ricercar_priority_failed(const char* message) {
  ricercar::has_failed = true;
  std::strncpy(ricercar::failure, message, ricercar::longest_message);
}

RICERCAR_HOOK const char* ricercar_operation_name(std::uint8_t kind) {
  return kind < std::size(ricercar::operation_kinds) ? ricercar::operation_kinds[kind].name : "";
}

RICERCAR_HOOK int ricercar_operation_access(std::uint8_t kind) {
  if (kind >= std::size(ricercar::operation_kinds)) return 0;
  return static_cast<int>(access_of(static_cast<ricercar::OperationKind>(kind)));
}
