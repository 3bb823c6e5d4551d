# An allocator: blocks freed by another thread come back over lists without locks.
kind="allocator"
build() {
  cmake -S . -B control -DCMAKE_C_COMPILER="$CC_WRAPPER" -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS="-O1 -g" \
    -DMI_OVERRIDE=OFF -DMI_BUILD_TESTS=OFF -DMI_BUILD_SHARED=OFF -DMI_BUILD_OBJECT=OFF -DMI_OPT_ARCH=OFF
  cmake --build control -j$JOBS
  $CC -O1 -g -Iinclude "$RECIPE/driver.c" "$(ls control/libmimalloc*.a | head -1)" -pthread -o driver
}
searches() { search "a block freed by another thread" -- ./driver; }
