// libjemalloc-dev: an allocator that is linked beside the program.
// libraries: -ljemalloc
#include "../blocks_of_all_sizes.h"
