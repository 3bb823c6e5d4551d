# A server with an event loop of its own, and threads that sync and free in the background. It appends every
# change to a file and syncs it before it answers.
kind="nodes: key-value store"
limit=3600
build() {
  make -C src CC="$CC" MALLOC=libc OPTIMIZATION=-O1 USE_SYSTEMD=no BUILD_TLS=no -j$JOBS redis-server
  $CXX -std=c++20 -O1 -g -I"$RECIPE/../../common" "$RECIPE/client.cc" -o client
  cp "$RECIPE"/*.toml .
  mkdir -p new prepared/appendonlydir
}
searches() {
  search_nodes "two clients, crashes; the folder of its log is new" --no-races --expect assertion \
    --remark "What was answered is lost with the folder of the log, whose name is not synced: [found.md](found.md)." -- new.toml
  search_nodes "the same; the folder of its log is there" --no-races -- prepared.toml
}
