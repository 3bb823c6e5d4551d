// Hooks: what a stream of the C library still has in its buffer is written.
#include <stdio.h>

#include "threads/hook.h"
#include "threads/memory/external_state.h"
#include "threads/memory/file_hooks.h"
#include "threads/memory/real_function.h"
#include "threads/node_files.h"

using namespace ricercar;

RICERCAR_EXPORT int fclose(FILE* file) {
  if (tracking) note_descriptors();
  FlushOfStream flush("fclose", controlled() ? file : nullptr, RICERCAR_SITE());
  const FileStep step({"fclose", FileEffect::changes}, __builtin_return_address(0));
  const int result = step.end(RICERCAR_BEHIND(fclose)(file));
  if (tracking) note_descriptors();
  return flush.done(result, true);
}

RICERCAR_EXPORT int fflush(FILE* file) {
  FlushOfStream flush("fflush", controlled() ? file : nullptr, RICERCAR_SITE());
  return flush.done(RICERCAR_BEHIND(fflush)(file), false);
}
