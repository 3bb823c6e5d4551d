#include "strategy/delaying/own_explorers.h"

#include <atomic>
#include <cstring>

#include "base/error.h"

namespace ricercar::inline strategy {

void (*enter_own_explorer)() = nullptr;
void (*leave_own_explorer)() = nullptr;
constinit std::uint64_t own_explorer_process = 0;

namespace {

constexpr std::size_t max_registrations = 64;
constexpr std::size_t longest_name = 63;
constexpr std::size_t longest_message = 511;

struct Registration {
  char name[longest_name + 1];
  ricercar_explorer_functions functions;
};
constinit Registration registrations[max_registrations] = {};
constinit std::size_t registration_count = 0;

// One search has one explorer, so it does not matter which of its threads finds this.
constinit std::atomic<bool> has_failed = false;
constinit char failure[longest_message + 1] = {};

// The explorer is made when it is first used: one that was never used can be kept for as long as
// the search lives, whatever becomes of the process.
class CallOwnExplorer final : public DelayingExplorer {
 public:
  explicit CallOwnExplorer(const Registration& own, void* made = nullptr)
      : own_(own), explorer_(made), process_(own_explorer_process) {}
  ~CallOwnExplorer() override {
    if (explorer_ == nullptr || process_ != own_explorer_process) return;
    guarded([&] { own_.functions.destroy(explorer_); });
  }
  CallOwnExplorer(const CallOwnExplorer&) = delete;
  CallOwnExplorer& operator=(const CallOwnExplorer&) = delete;

  std::unique_ptr<DelayingExplorer> copy() const override {
    void* copied = nullptr;
    if (explorer_ != nullptr) call([&] { copied = own_.functions.copy(explorer_); });
    return std::make_unique<CallOwnExplorer>(own_, copied);
  }
  unsigned next(const EnabledTasks& enabled) const override {
    unsigned task = 0;
    call([&] { task = own_.functions.next(explorer(), enabled.words(), enabled.count()); });
    return task;
  }
  void delay(const EnabledTasks& enabled) override {
    call([&] { own_.functions.delay(explorer(), enabled.words(), enabled.count()); });
  }
  void started(unsigned task) override {
    call([&] { own_.functions.started(explorer(), task); });
  }
  void finished(unsigned task) override {
    call([&] { own_.functions.finished(explorer(), task); });
  }
  void step(const ExplorerStep& step) override {
    const ricercar_explorer_step passed{step.kind, step.task, step.target, step.what, step.value};
    call([&] { own_.functions.step(explorer(), &passed); });
  }
  std::uint64_t identity() const override {
    std::uint64_t number = 0;
    call([&] { number = own_.functions.identity(explorer()); });
    return number;
  }
  unsigned value(unsigned task, unsigned count) const override {
    unsigned first = 0;
    call([&] { first = own_.functions.value(explorer(), task, count); });
    return first;
  }

 private:
  // Inside of a guarded call.
  void* explorer() const {
    if (explorer_ == nullptr) explorer_ = own_.functions.make();
    return explorer_;
  }

  template <typename Call>
  static void guarded(Call use) {
    if (enter_own_explorer != nullptr) enter_own_explorer();
    use();
    if (leave_own_explorer != nullptr) leave_own_explorer();
  }
  template <typename Call>
  void call(Call use) const {
    guarded(use);
    if (!has_failed.exchange(false)) return;
    throw UsageError("the program's own explorer '" + std::string(own_.name) +
                     "' threw: " + failure);
  }

  const Registration& own_;
  mutable void* explorer_;
  const std::uint64_t process_;
};

}  // namespace

std::string register_own_explorer(const char* name, const ricercar_explorer_functions& functions) {
  const std::string_view wanted = name;
  if (wanted.empty() || wanted.size() > longest_name ||
      wanted.find_first_of("+=,: ") != std::string_view::npos) {
    return "a name has at most 63 characters and none of + = , : and space";
  }
  for (const ExplorerInfo& info : explorers()) {
    if (info.name == wanted) return "Ricercar has one of this name";
  }
  for (std::size_t i = 0; i < registration_count; ++i) {
    if (registrations[i].name == wanted) return "the name is taken";
  }
  if (registration_count == max_registrations) return "there are 64 already";
  Registration& registration = registrations[registration_count++];
  std::memcpy(registration.name, name, wanted.size() + 1);
  registration.functions = functions;
  return "";
}

void own_explorer_failed(const char* message) {
  std::strncpy(failure, message, longest_message);
  has_failed = true;
}

std::vector<OwnExplorer> own_explorers() {
  std::vector<OwnExplorer> result;
  for (std::size_t i = 0; i < registration_count; ++i) {
    const Registration& own = registrations[i];
    result.push_back({own.name, [&own] { return std::make_unique<CallOwnExplorer>(own); }});
  }
  return result;
}

}  // namespace ricercar::inline strategy
