# A server over datagrams: what was not answered is asked again, whatever was lost or doubled.
kind="nodes: CoAP library"
build() {
  ./configure CC="$CC" CFLAGS="-O1 -g" --disable-dtls --disable-documentation --disable-tests --disable-shared \
    --disable-dependency-tracking
  make -j$JOBS
  $CC -std=gnu11 -O1 -g -Iinclude "$RECIPE/client.c" .libs/libcoap-3-notls.a -o client
  cp "$RECIPE/cluster.toml" "$RECIPE/ends.toml" .
}
searches() {
  search_nodes "two clients put and get, over UDP" -- cluster.toml
  search_nodes "the same, and they must end once everything is healed" --expect livelock \
    --remark "A time limit is lost, and a client waits forever: [found.md](found.md)." -- ends.toml
}
