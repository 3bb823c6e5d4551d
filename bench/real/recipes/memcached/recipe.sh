# A server over libevent, with two worker threads and four more that keep its memory in order.
kind="nodes: cache"
limit=3600
also=libevent
build() {
  (cd "$also_source" && ./configure CC="$CC" CFLAGS="-O1 -g" --prefix="$PWD/installed" --disable-shared \
    --disable-openssl --disable-samples --disable-libevent-regress --disable-dependency-tracking &&
    make -j$JOBS install)
  ./configure CC="$CC" CFLAGS="-O1 -g" --with-libevent="$also_source/installed" --disable-extstore \
    --disable-proxy --disable-docs --disable-dependency-tracking
  make -j$JOBS CFLAGS="-O1 -g -pthread" memcached
  $CXX -std=c++20 -O1 -g -I"$RECIPE/../../common" "$RECIPE/client.cc" -o client
  cp "$RECIPE/cluster.toml" .
}
searches() {
  search_nodes "two clients" --no-races \
    --remark "Its clock is volatile and has no lock, a race by design: searched with --no-races." -- cluster.toml
}
