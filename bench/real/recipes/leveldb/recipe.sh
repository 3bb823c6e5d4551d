# A log-structured store: writers form groups, a background thread compacts; its tests use GoogleTest.
kind="database, GoogleTest"
build() {
  cmake -S . -B control -DCMAKE_CXX_COMPILER="$CXX_WRAPPER" -DCMAKE_C_COMPILER="$CC_WRAPPER" \
    -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS="-O1 -g" -DLEVELDB_BUILD_TESTS=OFF -DLEVELDB_BUILD_BENCHMARKS=OFF \
    -DBUILD_SHARED_LIBS=OFF -DHAVE_SNAPPY=OFF -DHAVE_TCMALLOC=OFF
  cmake --build control -j$JOBS --target leveldb
  $CXX -std=c++17 -O1 -g -Iinclude "$RECIPE/driver.cc" control/libleveldb.a -o driver
  for test in util/env_test; do
    $CXX -std=c++17 -O1 -g -I. -Iinclude -Icontrol/include -DLEVELDB_PLATFORM_POSIX=1 $test.cc \
      util/testutil.cc control/libleveldb.a -lgtest -lgmock -o $(basename $test)
  done
}
searches() {
  search "two writers" -- ./driver
  search "its test env, background work" --hang 60 -- ./env_test --gtest_filter='EnvTest.Run*:EnvTest.StartThread'
}
