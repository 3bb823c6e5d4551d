// Linked into every program under control, with the program's own C++ library: says what an
// uncaught exception was before the process would end.
#include <cxxabi.h>

#include <exception>
#include <typeinfo>

#include "ricercar/abi.h"
#include "ricercar/outside.h"

namespace {

std::terminate_handler next_handler = nullptr;

void report_current_exception() {
  const std::type_info* type = abi::__cxa_current_exception_type();
  if (type == nullptr) {
    ricercar_terminated();
    return;
  }
  int status = 0;
  const char* readable = abi::__cxa_demangle(type->name(), nullptr, nullptr, &status);
  const char* name = status == 0 ? readable : type->name();
  try {
    throw;
  } catch (const std::exception& exception) {
    ricercar_uncaught_exception(name, exception.what());
  } catch (...) {
    ricercar_uncaught_exception(name, "");
  }
}

void terminating() {
  if (ricercar_active() != 0) report_current_exception();
  next_handler();
}

struct Installer {
  Installer() { next_handler = std::set_terminate(terminating); }
};

__attribute__((init_priority(1000))) const Installer installer;

}  // namespace
