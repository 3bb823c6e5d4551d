#include "threads/node_files.h"

#include <fcntl.h>

#include "base/system_call.h"
#include "cluster/memory.h"
#include "threads/descriptor.h"
#include "threads/node_sockets.h"

namespace ricercar::inline threads {
namespace {

bool may_crash() { return is_node() && cluster_memory().may_crash; }

}  // namespace

void point_before_sync(const char* call, std::uint64_t site) {
  if (may_crash()) announce(kernel_channel(), site, call);
}

void point_before_write(const char* call, int number, std::uint64_t site) {
  if (!may_crash()) return;
  const long flags = system_call(SYS_fcntl, number, F_GETFL);
  if (flags >= 0 && (flags & O_DSYNC) != 0) point_before_sync(call, site);
}

}  // namespace ricercar::inline threads
