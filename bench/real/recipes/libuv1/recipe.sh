# An event loop with a pool of threads for work that blocks.
kind="event loop"
build() {
  cmake -S . -B control -DCMAKE_C_COMPILER="$CC_WRAPPER" -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS="-O1 -g" \
    -DLIBUV_BUILD_TESTS=OFF -DBUILD_TESTING=OFF
  cmake --build control -j$JOBS --target uv_a
  $CC -O1 -g -Iinclude "$RECIPE/driver.c" control/libuv_a.a -pthread -ldl -lrt -o driver
}
searches() { search "work in the pool, and a signal to the loop" -- ./driver; }
