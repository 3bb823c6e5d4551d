# Sockets over a pool of task threads, timers and asynchronous operations.
kind="messages"
# NNG_RACE_DETECTOR is its own switch: it locks some assertions that are checked without the lock on purpose.
build() {
  cmake -S . -B control -DCMAKE_C_COMPILER="$CC_WRAPPER" -DCMAKE_CXX_COMPILER="$CXX_WRAPPER" \
    -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS="-O1 -g -DNNG_RACE_DETECTOR" -DBUILD_SHARED_LIBS=OFF -DNNG_TESTS=OFF -DNNG_TOOLS=OFF \
    -DNNG_ENABLE_NNGCAT=OFF -DNNG_NUM_TASKQ_THREADS=2 -DNNG_RESOLV_CONCURRENCY=1 -DNNG_MAX_TASKQ_THREADS=2
  cmake --build control -j$JOBS
  $CC -O1 -g -Iinclude "$RECIPE/driver.c" control/libnng.a -pthread -latomic -o driver
}
searches() {
  search "request and reply in one process" -- ./driver
  search "a sleep that is cancelled" -- ./driver cancel
}
