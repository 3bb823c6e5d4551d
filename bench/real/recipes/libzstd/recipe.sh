# The library's compressor with worker threads: a pool, jobs, and a serial state between them.
kind="compressor"
build() {
  make -C lib -j$JOBS CC="$CC" CFLAGS="-O1 -g" ZSTD_LEGACY_SUPPORT=0 ZSTD_NO_ASM=1 libzstd.a-mt
  $CC -O1 -g -Ilib "$RECIPE/driver.c" lib/libzstd.a -pthread -o driver
}
searches() { search "compress with 2 workers, and back" -- ./driver; }
