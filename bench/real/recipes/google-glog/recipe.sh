# Logging to files and to sinks, with a mutex of its own and flags that are read without it.
kind="logging"
build() {
  cmake -S . -B control -DCMAKE_CXX_COMPILER="$CXX_WRAPPER" -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS="-O1 -g" \
    -DBUILD_SHARED_LIBS=OFF -DBUILD_TESTING=OFF -DWITH_GFLAGS=OFF -DWITH_GTEST=OFF -DWITH_UNWIND=OFF
  cmake --build control -j$JOBS --target glog
  $CXX -std=c++14 -O1 -g -Isrc -Icontrol "$RECIPE/driver.cc" control/libglog.a -pthread -o driver
}
searches() { search "two threads log to a sink" -- ./driver; }
