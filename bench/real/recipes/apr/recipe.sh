# Portable threads, mutexes, condition variables and pools; its own test program.
kind="portable runtime"
needs="autoconf libtool"
build() {
  [ -x configure ] || ./buildconf
  ./configure CC="$CC" CFLAGS="-O1 -g" --disable-shared --enable-threads --disable-dso
  make -j$JOBS
  $CC -O1 -g -D_GNU_SOURCE -Iinclude "$RECIPE/driver.c" .libs/libapr-1.a -luuid -lcrypt -pthread -o driver ||
    $CC -O1 -g -D_GNU_SOURCE -Iinclude "$RECIPE/driver.c" .libs/libapr-1.a -lcrypt -pthread -o driver
}
searches() { search "pools, a mutex and a condition variable" -- ./driver; }
