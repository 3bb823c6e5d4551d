#!/bin/sh
# use_with_pkg_config.sh PROJECT WORK_FOLDER PREFIX PACKAGE_FOLDER
# Builds the project by hand with the flags of pkg-config, with both compilers, and runs it.
set -eu
project=$1 work=$2 prefix=$3
export PKG_CONFIG_PATH="$4"

for compiler in g++ clang++; do
  case $compiler in g++) c=gcc ;; *) c=clang ;; esac
  rm -rf "$work/$compiler"
  mkdir -p "$work/$compiler"
  cd "$work/$compiler"
  set -x
  # shellcheck disable=SC2046  # lists of words
  {
    $c -Wall -Werror $(pkg-config --cflags ricercar-c) -c "$project/counter.c" "$project/program.c"
    $compiler -std=c++20 -Wall -Werror $(pkg-config --cflags ricercar) -c "$project/counter_check.cc"
    $compiler counter_check.o counter.o $(pkg-config --libs ricercar) -o counter_check
    $c program.o counter.o $(pkg-config --libs ricercar-c) -o program
    $compiler -std=c++20 -Wall -Werror $(pkg-config --cflags ricercar-machines) \
      "$project/machines.cc" $(pkg-config --libs ricercar-machines) -o machines
    $compiler -std=c++20 -Wall -Werror $(pkg-config --cflags ricercar-network) \
      "$project/network.cc" $(pkg-config --libs ricercar-network) -o network
  }
  ./counter_check
  ./network
  "$prefix/bin/ricercar" run --strategy dfs ./program
  "$prefix/bin/ricercar" run --strategy dfs ./machines
  set +x
done
