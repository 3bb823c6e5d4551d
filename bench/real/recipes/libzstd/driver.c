// Compresses with two workers and jobs of the smallest size, and expects the same bytes back.
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { size = 1100000 };
static char input[size], packed[size], output[size];

int main() {
  for (int i = 0; i < size; ++i) input[i] = (char)(i / 1000);
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, 1);
  ZSTD_CCtx_setParameter(context, ZSTD_c_nbWorkers, 2);
  ZSTD_CCtx_setParameter(context, ZSTD_c_jobSize, 524288);
  size_t length = ZSTD_compress2(context, packed, size, input, size);
  if (ZSTD_isError(length)) abort();
  ZSTD_freeCCtx(context);
  if (ZSTD_decompress(output, size, packed, length) != size || memcmp(input, output, size) != 0)
    abort();
}
