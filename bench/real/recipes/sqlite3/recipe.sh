# A database in one file of C; connections that share a cache take its mutexes in their threads.
kind="database"
needs="tcl8.6"
build() {
  ./configure CC="$CC" CFLAGS="-O1 -g" --disable-shared --disable-tcl --disable-readline
  make sqlite3.c
  $CC -O1 -g -I. -DSQLITE_THREADSAFE=1 -DSQLITE_OMIT_LOAD_EXTENSION -DSQLITE_OMIT_DEPRECATED sqlite3.c "$RECIPE/driver.c" \
    -pthread -lm -o driver
}
searches() { search "two connections, one shared cache" -- ./driver; }
