# lbzip2, another parallel bzip2, here in place of pfscan, which Debian has not: workers around priority queues, a thread that reads and one that writes. `late-count`: the number of free slots is stored when the reader has begun, so that it may wait for ever, and main with it, in `sigsuspend`. The coder is compiled without control: it knows no threads, and each byte of a block would be a point. The input is 400,000 zeros.
# The names of old C libraries are given, which Debian's patches replace in its copy of gnulib.
build() {
  ./configure CC="$CC" CFLAGS="-O1 -g -D_IO_ftrylockfile -D_IO_ERR_SEEN=0x20 -D_IO_IN_BACKUP=0x100" --disable-dependency-tracking
  make -C lib
  make -C src CC=cc encode.o divbwt.o crctab.o decode.o
  make -C src
  head -c 400000 /dev/zero >input
}
rows() {
  row "lbzip2, late-count" pfscan late-count hang -- ./src/lbzip2 -1 -c -k -n 2 input
}
