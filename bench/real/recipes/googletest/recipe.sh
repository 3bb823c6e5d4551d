# The framework's own test of its thread support.
kind="GoogleTest"
build() {
  flags="-std=c++14 -O1 -g1 -Igoogletest/include -Igoogletest"
  $CXX $flags -c googletest/src/gtest-all.cc -o gtest.o
  $CXX $flags -c googletest/src/gtest_main.cc -o gtest_main.o
  $CXX $flags -Igooglemock/include googletest/test/googletest-port-test.cc gtest.o gtest_main.o -pthread -o port_test
}
searches() {
  search "its tests of thread-local values and mutexes" \
    -- ./port_test --gtest_filter='ThreadLocal*:Mutex*:ThreadWithParam*:-*Death*'
}
