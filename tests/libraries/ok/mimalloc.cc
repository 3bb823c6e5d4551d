// libmimalloc-dev: an allocator that is linked beside the program.
// libraries: -lmimalloc
#include "../blocks_of_all_sizes.h"
