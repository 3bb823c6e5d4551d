# A web server: one thread accepts, workers serve, over a queue with condition variables.
kind="server"
# STOP_FLAG_NEEDS_LOCK is its own switch: the flag that ends it is atomic then, not volatile.
build() {
  $CC -O1 -g -Iinclude -DNO_SSL -DNO_CGI -DNO_FILES -DSTOP_FLAG_NEEDS_LOCK=1 -DUSE_STACK_SIZE=102400 -c src/civetweb.c -o civetweb.o
  $CC -O1 -g -Iinclude "$RECIPE/driver.c" civetweb.o -pthread -ldl -o driver
}
searches() {
  search "one request over the loopback, then stop" --expect livelock --no-races \
    --remark "mg_stop undoes what it waits for: [found.md](found.md)." -- ./driver
}
