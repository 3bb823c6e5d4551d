#include "machines/monitor_run.h"

#include "base/error.h"

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
  message_ = message;
  throw Violated{};
}

void MonitorRun::start() {
  const InContext in_context(this);
  Dispatch(type_, variables_, stack_, requests_).start();
}

bool MonitorRun::handle(const Event& event) {
  const InContext in_context(this);
  try {
    Dispatch dispatch(type_, variables_, stack_, requests_);
    if (dispatch.handle(event)) return true;
    std::string what;
    dispatch.unhandled()->type->describe(dispatch.unhandled()->payload, what);
    message_ = "does not handle " + what + " in its state " +
               std::string(type_.states[stack_.back()].name);
  } catch (const Violated&) {
  }
  return false;
}

}  // namespace ricercar::machines
