# A hierarchy of loggers with appenders under mutexes, and a pool of threads for asynchronous ones.
kind="logging"
build() {
  cmake -S . -B control -DCMAKE_CXX_COMPILER="$CXX_WRAPPER" -DCMAKE_C_COMPILER="$CC_WRAPPER" \
    -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS="-O1 -g0" -DBUILD_SHARED_LIBS=OFF -DLOG4CPLUS_BUILD_TESTING=OFF \
    -DLOG4CPLUS_BUILD_LOGGINGSERVER=OFF -DWITH_UNIT_TESTS=OFF -DLOG4CPLUS_QT5=OFF
  cmake --build control -j$JOBS --target log4cplus
  $CXX -std=c++17 -O1 -g -Iinclude -Icontrol/include "$RECIPE/driver.cc" control/src/liblog4cplus*.a -pthread -o driver
}
searches() { search "an asynchronous appender" -- ./driver; }
