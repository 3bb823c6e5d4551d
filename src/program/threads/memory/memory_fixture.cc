#include "threads/memory/memory_fixture.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/system_call.h"
#include "threads/memory/external_state.h"
#include "threads/memory/file_hooks.h"
#include "threads/memory/heap_hooks.h"
#include "threads/memory/not_modelled.h"
#include "threads/memory/runtime_allocation.h"

namespace ricercar::inline threads {
namespace {

constinit const char* reason = nullptr;

void on_fault(int signal, siginfo_t* info, void*) {
  if (snapshot_handle_fault(info->si_addr)) return;
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  sigaction(signal, &action, nullptr);
}

void* park(void*) {
  for (;;) pause();
}

}  // namespace

void memory_unmapped(void*, std::size_t) {}
bool file_call_begins(const FileCall&, void*) { return false; }
void file_call_ended(const FileCall&, long, int) {}
void FileStep::tell(long) const {}
bool file_lock_call(int, int, void*, long&, void*) { return false; }
bool pipe_opened(int, const char*, int, long&, void*) { return false; }
FILE* stream_over(int, const char*, void*) { return nullptr; }
void device_call(unsigned long, void*) {}
bool report_bad_free(void*, Release, void*) { return false; }
void heap_event(bool, void*, std::size_t, void*) {}
void needs_fork(const char* why) { reason = why; }
void must_be_alone() {}
void must_be_alone_at(int) {}
void not_modelled(const char*, std::uint64_t) {}
void closes_library(void*) {}
void descriptor_goes(int) {}

int replaced_descriptor(int result) { return result; }
void used_past_hooks(int) {}
void copied_descriptor(int) {}

}  // namespace ricercar::inline threads

namespace ricercar::fixture {

void take() {
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, nullptr);
  external_state_own_signal(SIGSEGV);
  external_state_take();
  snapshot_take();
  tracking = true;
}

void restore() {
  tracking = false;
  external_state_restore();
  snapshot_restore();
  tracking = true;
}

SnapshotStats stats() { return snapshot_stats(); }

bool park_thread() {
  const RuntimeAllocation allocation;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 64 << 10);
  pthread_t thread;
  const bool created = pthread_create(&thread, &attributes, park, nullptr) == 0;
  pthread_attr_destroy(&attributes);
  return created;
}

void* runtime_malloc(std::size_t size) {
  const RuntimeAllocation allocation;
  return malloc(size);
}

const char* fork_reason() { return reason; }

}  // namespace ricercar::fixture
