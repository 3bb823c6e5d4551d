# An event loop in one thread; other threads wake it with ev_async_send.
kind="event loop"
build() {
  ./configure CC="$CC" CFLAGS="-O1 -g" --disable-shared --disable-dependency-tracking
  make -j$JOBS libev.la
  $CC -O1 -g -I. "$RECIPE/driver.c" .libs/libev.a -lm -pthread -o driver
}
searches() {
  search "a loop that another thread wakes" --expect data-race \
    --remark "By design: flags are volatile, the fences between them are inline assembly." -- ./driver
  search "the same without races, every shared access a point" --no-races --points shared -- ./driver
}
