# A web server in one header: a pool of threads takes connections from a queue.
kind="server, pool"
build() { $CXX -std=c++17 -O1 -g -I. "$RECIPE/driver.cc" -pthread -o driver; }
searches() { search "its pool: two tasks, then shutdown" -- ./driver; }
