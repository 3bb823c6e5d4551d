# Ring buffers in shared memory, event loops, and a log that a thread of its own writes.
kind="queue, logging"
build() {
  ./configure CC="$CC" CFLAGS="-O1 -g" --disable-shared --enable-static --disable-dependency-tracking --enable-nosection-fallback
  make -j$JOBS -C include
  make -j$JOBS -C lib
  $CC -O1 -g -Iinclude "$RECIPE/driver.c" lib/.libs/libqb.a -pthread -ldl -lrt -o driver
}
searches() {
  search "a ring buffer, one writer and one reader" --expect data-race \
    --remark "By design: the positions in the buffer are volatile." -- ./driver
  search "the same without races" --no-races -- ./driver
}
