# Read-copy-update: readers without locks, writers that wait for a grace period, a thread for call_rcu.
kind="lock-free library"
assembly="Its exchanges are inline assembly, its loads and stores volatile: searched with --no-races."
build() {
  ./configure CC="$CC" CFLAGS="-O1 -g" --disable-shared \
    --disable-dependency-tracking
  make -j$JOBS -C include
  make -j$JOBS -C src
  for flavour in mb qsbr; do
    $CC -O1 -g -Iinclude -DFLAVOUR_$flavour "$RECIPE/driver.c" -Lsrc/.libs -lurcu-$flavour -lurcu-common \
      -pthread -o driver-$flavour
  done
  $CC -O1 -g -Iinclude "$RECIPE/queue.c" -Lsrc/.libs -lurcu-cds -lurcu-common -pthread -o queue
}
searches() {
  search "a reader and a writer, flavour mb" --remark "$assembly" --no-races --points shared -- ./driver-mb
  search "a reader and a writer, flavour qsbr" --remark "$assembly" --no-races --points shared -- ./driver-qsbr
  search "wait-free queue, two producers" --remark "$assembly" --no-races --points shared -- ./queue
}
