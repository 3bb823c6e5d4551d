# The threaded encoder and decoder of liblzma.
kind="compressor"
build() {
  ./configure CC="$CC" CFLAGS="-O1 -g" --disable-dependency-tracking --disable-shared --disable-nls \
    --disable-doc --disable-scripts
  make -j$JOBS
  head -c 12000 src/liblzma/lz/lz_encoder_mf.c >input
  xz -c -T2 --block-size=4000 input >input.xz
}
searches() {
  search "compress 12 KB in 3 blocks, 2 threads" -- ./src/xz/xz -0 -c -T2 --block-size=4000 input
  search "decompress them" --expect data-race \
    --remark "The decoder looks at a buffer that its worker has freed: [found.md](found.md)." \
    -- ./src/xz/xz -d -c -T2 input.xz
  search "the same without races" --no-races -- ./src/xz/xz -d -c -T2 input.xz
}
