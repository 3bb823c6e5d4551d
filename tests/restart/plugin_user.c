/* A library that looks for a plug-in, which is not there. The loader keeps what it has found out
   about the library's own search path. */
#include <assert.h>
#include <dlfcn.h>

void look_for_plugin(void);
void look_for_plugin(void) { assert(dlopen("libricercar_no_such_plugin.so.1", RTLD_LAZY) == 0); }
