# Asynchronous queues and thread pools.
kind="pool and queues"
needs="meson libpcre2-dev libffi-dev"
build() {
  [ -d control ] || CC="$CC" meson setup control --buildtype=plain -Dc_args="-O1 -g" -Dtests=false -Dselinux=disabled -Dlibmount=disabled \
    -Dxattr=false -Dnls=disabled -Ddefault_library=static -Dglib_debug=disabled
  ninja -C control -j$JOBS glib/libglib-2.0.a
  $CC -O1 -g -I. -Iglib -Icontrol -Icontrol/glib "$RECIPE/driver.c" control/glib/libglib-2.0.a \
    $(find control -name 'libcharset.a' -o -name 'libgnulib.a') -lpcre2-8 -pthread -lm -o driver
}
searches() { search "a pool and an asynchronous queue" -- ./driver; }
