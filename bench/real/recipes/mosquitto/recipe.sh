# A broker with an event loop of its own, one thread.
kind="nodes: message broker"
build() {
  make -C src CC="$CC" CFLAGS="-O1 -g -pthread" WITH_TLS=no WITH_CJSON=no WITH_SYSTEMD=no WITH_WEBSOCKETS=no \
    WITH_SRV=no WITH_DOCS=no WITH_BUNDLED_DEPS=yes -j$JOBS mosquitto
  $CXX -std=c++20 -O1 -g "$RECIPE/client.cc" -o mqtt_client
  cp "$RECIPE/cluster.toml" "$RECIPE/broker.conf" .
}
searches() {
  search_nodes "two clients publish, one listens" -- cluster.toml
}
