// The part of ricercar.h between C++ and the library's C interface.
#pragma once

#include <cxxabi.h>

#include <cstdlib>

namespace ricercar {
namespace detail {

inline void report_exception(const std::type_info& type, const char* text) {
  int status = 0;
  char* readable = abi::__cxa_demangle(type.name(), nullptr, nullptr, &status);
  ricercar_uncaught_exception(status == 0 ? readable : type.name(), text);
  std::free(readable);
}

template <typename Body>
void call(void* body) {
  try {
    (*reinterpret_cast<Body*>(body))();  // may be a plain function
  } catch (const std::exception& exception) {
    report_exception(typeid(exception), exception.what());
  } catch (...) {
#if defined(__GLIBCXX__)
    // A thread that ends by pthread_exit is unwound; that is no exception of the program's.
    if (abi::__cxa_current_exception_type() == nullptr) throw;
    report_exception(*abi::__cxa_current_exception_type(), "");
#else
    throw;
#endif
  }
}

inline std::string text(const char* from) { return from == nullptr ? "" : from; }

inline Result convert(const ricercar_result& from) {
  Result to;
  to.executions = from.executions;
  to.steps = from.steps;
  to.seconds = from.seconds;
  to.complete = from.complete != 0;
  to.coverage = text(from.coverage);
  to.error = text(from.error);
  for (std::uint64_t i = 0; i < from.bug_count; ++i) {
    const ricercar_bug& bug = from.bugs[i];
    to.bugs.push_back(
        {text(bug.kind), text(bug.message), bug.execution, text(bug.schedule), text(bug.report)});
  }
  return to;
}

// It points into the options.
inline ricercar_options as_abi(const Options& options) {
  ricercar_options request{};
  request.size = sizeof request;
  request.races = options.races;
  request.spurious_wakeups = options.spurious_wakeups;
  request.weak_failures = options.weak_failures;
  request.keep_going = options.keep_going;
  request.executions = options.executions;
  request.seed = options.seed;
  request.steps = options.steps;
  request.seconds = options.seconds;
  request.strategy = options.strategy.c_str();
  request.points = options.points.c_str();
  request.out = options.out.c_str();
  request.fail_on = options.fail_on.c_str();
  request.ignore = options.ignore.c_str();
  request.name = options.name.c_str();
  request.no_minimise = !options.minimise;
  return request;
}

}  // namespace detail

// Runs `body` under many schedules and tells what was found.
template <typename Body>
Result check(const Options& options, Body&& body) {
  const ricercar_options request = detail::as_abi(options);
  ricercar_result result{};
  using Function = std::remove_reference_t<Body>;
  ricercar_check(&request, detail::call<Function>,
                 const_cast<void*>(reinterpret_cast<const volatile void*>(&body)), &result);
  return detail::convert(result);
}

template <typename Body>
Result check(Body&& body) {
  return check(Options{}, std::forward<Body>(body));
}

inline std::ostream& operator<<(std::ostream& out, const Result& result) {
  if (!result.error.empty()) return out << "ricercar: " << result.error << '\n';
  for (const Bug& bug : result.bugs) {
    if (!bug.report.empty()) {
      out << bug.report;  // with the line that replays it
      continue;
    }
    out << bug.kind << ": " << bug.message << '\n';
    if (!bug.schedule.empty()) out << "replay it with: ricercar replay " << bug.schedule << '\n';
  }
  out << result.executions << (result.executions == 1 ? " execution, " : " executions, ")
      << result.steps << " steps";
  if (result.bugs.empty()) out << ", no bug";
  return out << (result.complete ? "; complete: " : "; ") << result.coverage << '\n';
}

}  // namespace ricercar
