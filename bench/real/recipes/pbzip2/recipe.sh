# A thread reads blocks, some compress them, one writes them in order; queues with condition variables.
kind="compressor"
also=bzip2
build() {
  make -C "$also_source" CC="$CC" CFLAGS="-O1 -g -D_FILE_OFFSET_BITS=64" libbz2.a
  make CXX="$CXX" CPPFLAGS="-O1 -g -I$also_source" LDFLAGS="-L$also_source" pbzip2
  head -c 120000 pbzip2.cpp >input
  ./pbzip2 -c -p2 -b1 -1 input >input.bz2
}
searches() {
  search "compress a file, 2 threads" -- ./pbzip2 -c -k -p2 -b1 -1 input
  search "decompress it" -- ./pbzip2 -c -d -k -p2 input.bz2
}
