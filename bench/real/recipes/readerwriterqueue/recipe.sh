# A queue without locks for one producer and one consumer, and a blocking one over a semaphore.
kind="queue"
build() { $CXX -std=c++17 -O1 -g -I. "$RECIPE/driver.cc" -o driver; }
searches() {
  search "one producer, one consumer" -- ./driver
  search "the same, all memory accesses" --points shared -- ./driver
  search "blocking queue" -- ./driver blocking
}
