#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <string>

#include "base/error.h"
#include "base/search_heap.h"
#include "search/mailbox.h"
#include "supervisor/supervisor.h"

namespace ricercar::inline supervisor {
namespace {

constexpr std::uint64_t heap_offset = (sizeof(Control) + 4095) / 4096 * 4096;
constexpr std::uint64_t heap_size = mailbox_offset - heap_offset;

[[noreturn]] void fail(const char* what, const char* advice) {
  throw UsageError(std::string("cannot ") + what + ": " + std::strerror(errno) + "; " + advice);
}

void* map(int descriptor) {
  void* wanted = reinterpret_cast<void*>(control_address);
  void* got = ::mmap(wanted, control_size, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_FIXED_NOREPLACE | MAP_NORESERVE, descriptor, 0);
  if (got == wanted) return got;
  const int error = errno;
  ::close(descriptor);
  errno = error;
  fail("map the shared memory of the search",
       "allow a large address space with `ulimit -v unlimited`");
}

}  // namespace

int make_control_file() {
  const int descriptor = ::memfd_create("ricercar-control", MFD_CLOEXEC);
  if (descriptor < 0) fail("make the shared memory of the search", "is /proc/sys/fs exhausted?");
  // The file is sparse: only what the search touches takes memory.
  if (::ftruncate(descriptor, control_size) == 0) return descriptor;
  const int error = errno;
  ::close(descriptor);
  errno = error;
  fail("reserve the shared memory of the search", "allow large files with `ulimit -f unlimited`");
}

SharedControl::SharedControl() : SharedControl(make_control_file()) {}

SharedControl::SharedControl(int file)
    : descriptor_(file), control_(static_cast<Control*>(map(descriptor_))) {
  reset();
}

// The mailbox (search/mailbox.h) is behind the heap.
void SharedControl::reset() {
  new (control_) Control();
  control_->heap_start = control_address + heap_offset;
  search_heap_attach(reinterpret_cast<void*>(control_->heap_start), heap_size, true);
}

SharedControl::~SharedControl() {
  detach();
  ::close(descriptor_);
}

void SharedControl::detach() {
  if (control_ != nullptr) ::munmap(reinterpret_cast<void*>(control_address), control_size);
  control_ = nullptr;
}

void SharedControl::attach() {
  if (control_ != nullptr) return;
  control_ = static_cast<Control*>(map(descriptor_));
  search_heap_attach(reinterpret_cast<void*>(control_->heap_start), heap_size, false);
}

}  // namespace ricercar::inline supervisor
