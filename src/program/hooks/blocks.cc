// What the compilers call at the beginning of every basic block of what was compiled with
// `ricercar c++ --coverage`.
#include "threads/entry.h"
#include "threads/node_blocks.h"

extern "C" {

RICERCAR_HOOK void __sanitizer_cov_trace_pc() {
  if (ricercar::blocks_of_node == nullptr) [[likely]]
    return;
  ricercar::blocks_of_node->add(reinterpret_cast<std::uint64_t>(__builtin_return_address(0)));
}

}  // extern "C"
