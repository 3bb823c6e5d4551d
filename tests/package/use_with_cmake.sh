#!/bin/sh
# use_with_cmake.sh PROJECT WORK_FOLDER PREFIX PACKAGE_FOLDER
# Builds the project against the package, with both compilers, and runs its tests.
set -eu
project=$1 work=$2 package=$4

for compiler in g++ clang++; do
  case $compiler in g++) c=gcc ;; *) c=clang ;; esac
  rm -rf "$work/$compiler"
  cmake -S "$project" -B "$work/$compiler" -G Ninja -DRicercar_DIR="$package" \
    -DCMAKE_C_COMPILER=$c -DCMAKE_CXX_COMPILER=$compiler
  cmake --build "$work/$compiler" -j2
  ctest --test-dir "$work/$compiler" --output-on-failure --no-tests=error
done
