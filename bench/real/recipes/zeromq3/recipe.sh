# Sockets whose input and output run in a thread of their own; mailboxes without locks between them.
kind="messages"
build() {
  cmake -S . -B control -DCMAKE_CXX_COMPILER="$CXX_WRAPPER" -DCMAKE_C_COMPILER="$CC_WRAPPER" \
    -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS="-O1 -g -DZMQ_ATOMIC_PTR_CXX11 -DZMQ_ATOMIC_COUNTER_CXX11" \
    -DBUILD_TESTS=OFF -DBUILD_SHARED=OFF -DWITH_PERF_TOOL=OFF -DWITH_DOCS=OFF -DENABLE_CURVE=OFF -DWITH_LIBSODIUM=OFF \
    -DENABLE_WS=OFF -DENABLE_CPACK=OFF -DZMQ_BUILD_TESTS=OFF
  cmake --build control -j$JOBS --target libzmq-static
  $CC -O1 -g -Iinclude -c "$RECIPE/driver.c" -o driver.o
  $CXX driver.o control/lib/libzmq.a -pthread -o driver
}
searches() {
  search "a pair of sockets in one process" -- ./driver exchange
  search "a pair over a socket of the system" -- ./driver ipc
  search "terminate while another thread receives" -- ./driver terminate
  search "shut down while another thread uses a socket" --expect data-race \
    --remark "A race of the reaper with zmq_ctx_term: [found.md](found.md)." -- ./driver shutdown
  search "the same without races" --no-races -- ./driver shutdown
}
