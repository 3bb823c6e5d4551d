# A pool of workers around priority queues, with one mutex and condition variables.
kind="compressor"
# The names of old C libraries are given, which Debian's patches replace in its copy of gnulib.
build() {
  ./configure CC="$CC" CFLAGS="-O1 -g -D_IO_ftrylockfile -D_IO_ERR_SEEN=0x20 -D_IO_IN_BACKUP=0x100" --disable-dependency-tracking
  make -j$JOBS
  head -c 120000 src/decode.c src/encode.c src/compress.c | head -c 120000 >input
  bzip2 -1 -c input >input.bz2
}
searches() {
  search "compress a file, 2 threads" -- ./src/lbzip2 -1 -c -k -n 2 input
  search "decompress it" -- ./src/lbzip2 -c -d -k -n 2 input.bz2
}
