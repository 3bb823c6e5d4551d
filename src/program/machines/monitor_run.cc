#include "machines/monitor_run.h"

#include "base/error.h"
#include "machines/activation.h"
#include "machines/crash_guard.h"

namespace ricercar::machines {
namespace {

struct Violated {};

// The context of the thread, put back on every way out.
class InContext {
 public:
  explicit InContext(detail::Context* context) : before_(detail::set_context(context)) {}
  ~InContext() { detail::set_context(before_); }
  InContext(const InContext&) = delete;
  InContext& operator=(const InContext&) = delete;

 private:
  detail::Context* before_;
};

}  // namespace

void MonitorRun::refuse() {
  throw UsageError("a monitor only observes: it cannot send, create, choose, receive or halt");
}

void MonitorRun::fail(const std::string& message) {
  kind_ = OutcomeKind::property;
  message_ = message;
  throw Violated{};
}

bool MonitorRun::run(const Event* event) {
  const InContext in_context(this);
  CrashGuard guard;
  if (RICERCAR_GUARDED(guard)) {
    call(event);
  } else {
    report(guard);
  }
  return kind_ == OutcomeKind::ok;
}

// Not a part of run(): there nothing may live in a register across the jump.
[[gnu::noinline]] void MonitorRun::report(const CrashGuard& guard) {
  kind_ = guard.kind();
  message_ = guard.message();
}

[[gnu::noinline]] void MonitorRun::call(const Event* event) {
  try {
    Dispatch dispatch(type_, variables_, stack_, requests_);
    if (event != nullptr ? dispatch.handle(*event) : dispatch.start()) return;
    kind_ = OutcomeKind::property;
    message_ = "does not handle " + text_of(dispatch.unhandled()) + " in its state " +
               std::string(type_.states[stack_.back()].name);
  } catch (const Violated&) {
  } catch (const UsageError&) {
    throw;
  } catch (...) {
    if (kind_ != OutcomeKind::ok) return;  // the handler has caught what require() threw
    kind_ = OutcomeKind::exception;
    message_ = text_of_exception();
  }
}

}  // namespace ricercar::machines
