# The C++ library of the installed compiler: its headers are compiled into the program.
package=""
version=$(g++ -dumpfullversion)
kind="standard library"
build() { $CXX -std=c++20 -O1 -g "$RECIPE/semaphore.cc" -o semaphore; }
searches() {
  search "std::counting_semaphore" --expect deadlock --remark "A lost wake-up: [found.md](found.md)." -- ./semaphore
}
