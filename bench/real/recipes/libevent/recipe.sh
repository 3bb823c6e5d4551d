# An event loop in one thread that others wake up.
kind="event loop"
build() {
  ./configure CC="$CC" CFLAGS="-O1 -g" --disable-shared --disable-openssl --disable-samples \
    --disable-libevent-regress --disable-dependency-tracking
  make include/event2/event-config.h
  make -j$JOBS libevent_core.la libevent_pthreads.la
  $CC -O1 -g -Iinclude "$RECIPE/driver.c" .libs/libevent_pthreads.a .libs/libevent_core.a -pthread -o driver
}
searches() { search "a loop, a timer, and a thread that ends it" -- ./driver; }
