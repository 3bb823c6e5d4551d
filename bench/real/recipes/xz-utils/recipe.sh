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
  search "decompress them" -- ./src/xz/xz -d -c -T2 input.xz
}
