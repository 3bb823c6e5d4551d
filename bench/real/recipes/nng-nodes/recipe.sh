# Request and reply over TCP between processes, with connections that are made again.
package=nng
kind="nodes: messages"
limit=3600
build() {
  cmake -S . -B control -DCMAKE_C_COMPILER="$CC_WRAPPER" -DCMAKE_CXX_COMPILER="$CXX_WRAPPER" \
    -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS="-O1 -g -DNNG_RACE_DETECTOR" -DBUILD_SHARED_LIBS=OFF -DNNG_TESTS=OFF -DNNG_TOOLS=OFF \
    -DNNG_ENABLE_NNGCAT=OFF -DNNG_NUM_TASKQ_THREADS=2 -DNNG_RESOLV_CONCURRENCY=1 -DNNG_MAX_TASKQ_THREADS=2
  cmake --build control -j$JOBS
  for part in server client; do
    $CC -O1 -g -Iinclude "$RECIPE/$part.c" control/libnng.a -pthread -latomic -o $part
  done
  cp "$RECIPE/cluster.toml" .
}
searches() {
  search_nodes "two clients ask one server, which crashes" --expect "deadlock use-after-free" \
    --remark "nng_fini frees what its threads use, and a client waits forever in nng_close: [found.md](found.md)." -- cluster.toml
}
