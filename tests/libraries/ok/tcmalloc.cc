// libgoogle-perftools-dev: an allocator that is linked beside the program.
// libraries: -ltcmalloc
#include "../blocks_of_all_sizes.h"
