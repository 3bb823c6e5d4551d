# An allocator with arenas, caches of threads, and mutexes of its own.
kind="allocator"
needs="autoconf"
build() {
  autoconf
  ./configure CC="$CC" CFLAGS="-O1 -g" --with-jemalloc-prefix=je_ --disable-shared --disable-cxx --disable-libdl \
    --disable-initial-exec-tls
  make -j$JOBS build_lib_static
  $CC -O1 -g -Iinclude "$RECIPE/driver.c" lib/libjemalloc.a -pthread -lm -o driver
}
searches() { search "a block freed by another thread" -- ./driver; }
