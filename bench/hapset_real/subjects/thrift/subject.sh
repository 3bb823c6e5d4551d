# Apache Thrift's C++ concurrency package: a thread pool on monitors. `own-lock`: workers are counted under one lock and waited for under another, as in Thrift of the paper's time, and the notification takes only the first. `two-sections`: one lock, but whether all workers have begun is looked at in one critical section and waited for in another. Data races are left out: `Thread::join` reads the state of a thread that is about to end without its lock, in the program as it is.
build() {
  cd lib/cpp
  printf '#define %s 1\n' HAVE_PTHREAD_H HAVE_SCHED_H HAVE_STRINGS_H HAVE_SYS_TIME_H HAVE_UNISTD_H HAVE_STRERROR_R \
    STRERROR_R_CHAR_P >src/thrift/config.h
  local part sources=()
  for part in Monitor Mutex Thread ThreadFactory ThreadManager TimerManager; do
    sources+=("src/thrift/concurrency/$part.cpp")
  done
  "$CXX" -std=c++17 -O1 -g -Isrc "$SUBJECT/driver.cc" "${sources[@]}" src/thrift/TOutput.cpp -o driver
}
rows() {
  local workers patch
  for patch in own-lock two-sections; do
    for workers in 2 3 4 5; do
      row "thrift, $patch, $workers workers" "thrift-lib-w$workers-5t" $patch deadlock --no-races -- ./lib/cpp/driver $workers
    done
  done
}
