# Reads, compresses and writes blocks in threads; queues with condition variables.
kind="compressor"
also=xz-utils
needs="autoconf automake libarchive-dev"
build() {
  (cd "$also_source" && ./configure CC="$CC" CFLAGS="-O1 -g" --disable-shared --disable-nls --disable-doc --disable-scripts \
    --disable-xz --disable-xzdec --disable-lzmadec --disable-lzmainfo --disable-dependency-tracking && make -j$JOBS)
  [ -x configure ] || autoreconf -fi
  ./configure CC="$CC" CFLAGS="-O1 -g -fcommon -I$also_source/src/liblzma/api" --without-manpage \
    LZMA_CFLAGS="-I$also_source/src/liblzma/api" LZMA_LIBS="$also_source/src/liblzma/.libs/liblzma.a"
  make -j$JOBS
  head -c 8000 "$also_source/src/liblzma/lz/lz_encoder_mf.c" >input
}
searches() { search "compress 8 KB, 2 threads" -- ./src/pixz -0 -t -p 2 -i input -o /dev/null; }
