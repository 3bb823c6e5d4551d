# Sockets as state machines; worker threads with an event queue in the kernel.
kind="messages"
build() {
  cmake -S . -B control -DCMAKE_C_COMPILER="$CC_WRAPPER" -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS="-O1 -g" \
    -DNN_STATIC_LIB=ON -DNN_TESTS=OFF -DNN_TOOLS=OFF -DNN_ENABLE_DOC=OFF -DNN_ENABLE_NANOCAT=OFF
  cmake --build control -j$JOBS --target nanomsg
  $CC -O1 -g -Isrc -DNN_STATIC_LIB "$RECIPE/driver.c" control/libnanomsg.a -pthread -lanl -o driver
}
searches() {
  search "a pair of sockets in one process" --expect use-after-free --no-races \
    --remark "An event for a freed session; also a race: [found.md](found.md)." -- ./driver
}
