#!/bin/sh
# check_unit_test.sh RICERCAR RUN_EVERY_STRATEGY NAME WORK_FOLDER
# Compiles one unit test of the suite under control. Its fixed twin has to be clean; each of its bugs
# in bugs.txt has to be invisible without a preemption, and to be found, as the kind that is said there.
set -eu
ricercar=$1 every_strategy=$2 name=$3 work=$4
suite=$(cd "$(dirname "$0")" && pwd)

rm -rf "$work"
mkdir -p "$work"
cd "$work"
"$ricercar" c++ -std=c++20 -g -O1 -Wall -Wextra -Wshadow -Werror "$suite/tests/$name.cc" -o program

fail() {
  echo "$name $*"
  exit 1
}

# search STATUS BUG OPTIONS...: a search that has to end with this exit status.
search() {
  expected=$1 argument=$2
  shift 2
  status=0
  "$ricercar" run --quiet --json result.json "$@" ./program "$argument" </dev/null || status=$?
  [ $status = "$expected" ] || fail "$argument: $* ended with $status, $expected was expected"
}

search 0 fixed --executions 300
"$every_strategy" "$ricercar" ./program fixed
search 0 fixed --strategy pb:bound=2 --executions 300
grep "^$name " "$suite/bugs.txt" > bugs.txt || fail "is not in bugs.txt"
while read -r _ bug kind _; do
  search 0 "$bug" --strategy pb:bound=0 --executions 1
  search 1 "$bug"
  grep -q "\"kind\": \"$kind\"" result.json || fail "$bug: no $kind was found"
done < bugs.txt
