#!/bin/sh
# check_program.sh RICERCAR RUN_EVERY_STRATEGY FOLDER/NAME WORK_FOLDER
# Compiles one program of the suite under control. Its fixed twin has to be clean; each of its bugs in
# bugs.txt has to be invisible in the first execution, and to be found, as the kind that is said there: by
# the default strategy, by HaPSet, and by its pruned part alone in 30 executions (the paper needed 28 at most); by
# the pruned search that asks again too, unless bugs.txt says that it misses it: then it has to.
set -eu
ricercar=$1 every_strategy=$2 name=$3 work=$4
suite=$(cd "$(dirname "$0")" && pwd)

case $name in
  programs/thread_pool | programs/pool_services) library="$suite"/components/thread_pool ;;
  *) library= ;;
esac

rm -rf "$work"
mkdir -p "$work"
cd "$work"
"$ricercar" c++ -std=c++20 -g -O1 -Wall -Wextra -Wshadow -Werror "$suite/$name.cc" \
  ${library:+"$library"/*.cc} -o program

fail() {
  echo "$name $*"
  exit 1
}

# search STATUS "ARGUMENTS" OPTIONS...: a search that has to end with this exit status.
search() {
  expected=$1 arguments=$2
  shift 2
  status=0
  # The arguments are words without blanks.
  # shellcheck disable=SC2086
  "$ricercar" run --quiet --json result.json "$@" ./program $arguments </dev/null || status=$?
  [ $status = "$expected" ] || fail "$arguments: $* ended with $status, $expected was expected"
}

search 0 fixed --executions 300
"$every_strategy" "$ricercar" ./program fixed
search 0 fixed --executions 300 --strategy pct
search 0 fixed --executions 300 --strategy dpor --points memory
awk -v name="$name" '$2 == name { print $3, $4 == "-" ? "" : $4, $5, $6 }' "$suite/bugs.txt" > bugs.txt
while read -r line; do
  note=${line##* }
  line=${line% *}
  kind=${line##* }
  bug=${line% *}
  asking_again=1
  [ "$note" != missed ] || asking_again=0
  search 0 "$bug" --strategy pb:bound=0 --executions 1 --points memory
  search $asking_again "$bug" --strategy hapset:prune=yes,replan=yes --points shared --executions 30
  for options in "" "--strategy hapset:prune=yes --points shared --executions 30" "--strategy hapset --points shared"; do
    # shellcheck disable=SC2086
    search 1 "$bug" $options
    grep -q "\"kind\": \"$kind\"" result.json || fail "$bug: no $kind was found"
  done
done < bugs.txt
