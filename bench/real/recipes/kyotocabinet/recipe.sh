# A key-value store; its database in memory uses locks for parts of a table.
kind="database"
build() {
  ./configure CC="$CC" CXX="$CXX" CFLAGS="-O1 -g" CXXFLAGS="-O1 -g -std=gnu++14" --disable-shared --disable-zlib
  make -j$JOBS libkyotocabinet.a
  $CXX -std=gnu++14 -O1 -g -I. "$RECIPE/driver.cc" libkyotocabinet.a -pthread -o driver
}
searches() { search "two threads on a database in memory" -- ./driver; }
