// libjemalloc-dev: an allocator that is linked into the program.
// options: --no-races --executions 200
// libraries: -l:libjemalloc.a -ldl -lm
#include "../blocks_of_all_sizes.h"
