# Mutexes with conditions, notifications, barriers; its tests use GoogleTest.
kind="pool and locks, GoogleTest"
build() {
  cmake -S . -B control -DCMAKE_CXX_COMPILER="$CXX_WRAPPER" -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS="-O1 -g1" \
    -DCMAKE_CXX_STANDARD=17 -DBUILD_TESTING=OFF -DABSL_PROPAGATE_CXX_STD=ON
  cmake --build control -j$JOBS --target synchronization
  libraries=$(find control -name '*.a' | tr '\n' ' ')
  for test in barrier blocking_counter; do
    $CXX -std=c++17 -O1 -g -I. absl/synchronization/${test}_test.cc -Wl,--start-group $libraries -Wl,--end-group \
      -lgtest -lgmock -lgtest_main -pthread -o ${test}_test
  done
}
searches() {
  search "its test of barriers" -- ./barrier_test
  search "its test of counters" -- ./blocking_counter_test --gtest_filter='-*Negative*'
}
