#include "threads/memory/memory_state.h"

namespace ricercar::inline threads {

constinit MemoryState memory_state;

}  // namespace ricercar::inline threads
