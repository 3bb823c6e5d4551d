# pbzip2, a parallel bzip2: one thread reads blocks, some compress them, one writes them in order. `early-delete`: consumers are not joined before the queue is cleared and deleted; the first that is reported is the race on the queue (with `--no-races` it is a mutex that is locked after its end). `late-size`: the size of a block is stored when its buffer has been handed over. libbz2 is compiled without control: it knows no threads, and each byte of a block would be a point. The input is 400,000 zeros.
also=bzip2
build() {
  cp -a "$also_source" libbz2
  make -C libbz2 CFLAGS="-O1 -g -D_FILE_OFFSET_BITS=64" libbz2.a
  make CXX="$CXX" CPPFLAGS="-O1 -g -Ilibbz2" LDFLAGS="-Llibbz2" pbzip2
  head -c 400000 /dev/zero >input
}
rows() {
  row "pbzip2, early-delete" pbzip2 early-delete data-race -- ./pbzip2 -c -k -p2 -b1 -1 input
  row "pbzip2, late-size" pbz2-f late-size data-race -- ./pbzip2 -c -k -p2 -b1 -1 input
}
