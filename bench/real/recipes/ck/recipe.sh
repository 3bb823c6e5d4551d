# Rings, stacks, epochs and locks without locks of the system. The library's own atomics are inline assembly,
# which nobody sees: CK_USE_CC_BUILTINS takes the compiler's.
kind="lock-free library"
build() {
  CC="$CC_WRAPPER" CFLAGS="-O1 -g" ./configure --use-cc-builtins --cores=2
  make -C src libck.a
  for name in ring stack lock; do
    $CC -O1 -g -DCK_USE_CC_BUILTINS=1 -Iinclude "$RECIPE/$name.c" src/libck.a -pthread -o $name
  done
}
without_races="Its loads and stores are volatile, which is a race by the standard: searched with --no-races."
searches() {
  search "ring, one producer and two consumers" --remark "$without_races" --no-races --points shared -- ./ring
  search "stack, two threads push and take all" --remark "$without_races" --no-races --points shared -- ./stack
  search "ticket lock and MCS lock" --remark "$without_races" --no-races --points shared -- ./lock
}
