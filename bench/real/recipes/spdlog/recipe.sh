# Loggers with sinks under mutexes; asynchronous ones hand messages to a pool over a bounded queue.
kind="logging"
needs="libfmt-dev"
build() {
  $CXX -std=c++17 -O1 -g -Iinclude -DSPDLOG_FMT_EXTERNAL -DFMT_HEADER_ONLY "$RECIPE/driver.cc" -o driver
}
searches() {
  search "two threads, one sink" -- ./driver
  search "an asynchronous logger, a full queue" -- ./driver asynchronous
}
