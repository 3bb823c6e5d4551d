#include <link.h>
#include <string.h>

#include "threads/memory/external_state.h"
#include "worker/threads_world.h"
#include "worker/worker.h"

namespace ricercar::inline worker {
namespace {

constinit const link_map* last_at_start = nullptr;

const link_map* last_library() {
  const link_map* library = _r_debug.r_map;
  while (library->l_next != nullptr) library = library->l_next;
  return library;
}

bool is_listed(const char* list, const char* path) {
  const std::size_t length = strlen(path);
  for (const char* found = list; (found = strstr(found, path)) != nullptr; found += length) {
    const bool begins = found == list || found[-1] == '\n';
    if (begins && found[length] == '\n') return true;
  }
  return false;
}

void add(Control& control, const char* path) {
  const std::size_t used = strlen(control.late_libraries);
  const std::size_t length = strlen(path);
  if (length == 0 || used + length + 2 > sizeof control.late_libraries) return;
  if (is_listed(control.late_libraries, path)) return;
  memcpy(control.late_libraries + used, path, length);
  memcpy(control.late_libraries + used + length, "\n", 2);
}

}  // namespace

void late_libraries_begin() { last_at_start = last_library(); }

void note_late_libraries(Control& control) {
  if (__builtin_expect(last_at_start->l_next == nullptr, 1)) return;
  for (const link_map* library = last_at_start->l_next; library != nullptr;
       library = library->l_next) {
    add(control, library->l_name);
  }
}

}  // namespace ricercar::inline worker

namespace ricercar::inline threads {

void closes_library(void* library) {
  if (current_control() == nullptr) return;
  add(*current_control(), static_cast<const link_map*>(library)->l_name);
}

}  // namespace ricercar::inline threads
