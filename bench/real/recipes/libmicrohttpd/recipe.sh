# A web server that can use a thread for each connection, or a pool.
kind="server"
build() {
  ./configure CC="$CC" CFLAGS="-O1 -g" --disable-shared --disable-https --disable-doc --disable-examples \
    --disable-curl --disable-dependency-tracking --disable-nls
  make -j$JOBS -C src/microhttpd libmicrohttpd.la
  $CC -O1 -g -Isrc/include "$RECIPE/driver.c" src/microhttpd/.libs/libmicrohttpd.a -pthread -o driver
}
searches() {
  search "one request, a thread for the server" --expect data-race \
    --remark "By design: the flag that ends the server is volatile." -- ./driver
  search "the same without races" --no-races -- ./driver
  search "one request, a thread for the connection" --no-races -- ./driver connection
}
