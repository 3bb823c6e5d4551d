#!/bin/sh
# check_example.sh RICERCAR COMPILER SOURCE EXPECTED WORK_FOLDER OPTIONS...
# Compiles an example under control, searches it, and compares what was found with EXPECTED: ok or
# the kind of a bug. A bug is replayed. RICERCAR_EXAMPLE_OPTIONS are for the compiler: --machines.
set -eu
ricercar=$1 compiler=$2 source=$3 expected=$4 work=$5
shift 5

case $source in *.c) command=cc standard= ;; *) command=c++ standard=-std=c++20 ;; esac
case $compiler in clang) clang=--clang ;; *) clang= ;; esac

rm -rf "$work"
mkdir -p "$work"
cd "$work"
# shellcheck disable=SC2086  # options that may be missing
"$ricercar" $command $clang ${RICERCAR_EXAMPLE_OPTIONS:-} $standard -Wall -Wextra -Werror "$source" -o program

status=0
"$ricercar" run --json result.json "$@" ./program || status=$?
if [ "$expected" = ok ]; then
  [ $status = 0 ] || { echo "exit status $status where 0 was expected"; exit 1; }
  exit 0
fi
[ $status = 1 ] || { echo "exit status $status where 1 was expected"; exit 1; }
grep -q "\"kind\": \"$expected\"" result.json || { echo "no $expected was found"; exit 1; }
status=0
"$ricercar" replay ricercar-out/bug-1.json || status=$?
[ $status = 1 ] || { echo "the replay ended with exit status $status"; exit 1; }
