# Writers take turns under a mutex in a mapped file; readers take slots of a table without locks.
kind="database"
build() {
  make -C libraries/liblmdb CC="$CC" OPT="-O1 -g" liblmdb.a
  $CC -O1 -g -pthread -Ilibraries/liblmdb "$RECIPE/driver.c" libraries/liblmdb/liblmdb.a -o driver
}
searches() {
  search "a writer and a reader" --expect data-race \
    --remark "By design: the table of readers and the number of the last transaction are volatile." -- ./driver
  search "the same without races, every shared access a point" --no-races --points shared -- ./driver
}
