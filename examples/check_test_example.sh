#!/bin/sh
# check_test_example.sh RICERCAR COMPILER SOURCE WORK_FOLDER LIBRARIES...
# Compiles a unit test under control and runs it.
set -eu
ricercar=$1 compiler=$2 source=$3 work=$4
shift 4
case $compiler in clang) clang=--clang ;; *) clang= ;; esac

rm -rf "$work"
mkdir -p "$work"
cd "$work"
# shellcheck disable=SC2086  # an option that may be missing
"$ricercar" c++ $clang -std=c++20 -Wall -Wextra -Werror "$source" "$@" -o program
exec ./program
