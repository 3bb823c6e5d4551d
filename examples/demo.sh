#!/bin/sh
# demo.sh RICERCAR: what Ricercar is for, in a minute. `make demo` starts it.
set -eu
tool=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
examples=$(cd "$(dirname "$0")" && pwd)
folder=$(dirname "$(dirname "$tool")")/demo
native_seconds=4
runs_at_once=2000

rm -rf "$folder"
mkdir -p "$folder"
cp "$examples/bounded_queue.cc" "$examples/bounded_queue_fixed.cc" "$folder"
cd "$folder"

say() { printf '%s\n' "$*"; }
title() { printf '\n--- %s\n\n' "$*"; }
show() { printf '$ ricercar %s\n' "$*"; "$tool" "$@"; }

# Nearly always it runs through. If the bug strikes in this minute of all minutes, say so.
run_natively() {
  g++ -O2 -std=c++20 -pthread bounded_queue.cc -o bounded_queue_native
  runs=0
  start=$(date +%s)
  while [ $(($(date +%s) - start)) -lt $native_seconds ]; do
    if ! timeout 10 ./bounded_queue_native $runs_at_once; then
      say "After more than $runs runs one of them hangs. That is rare: you have seen it."
      return
    fi
    runs=$((runs + runs_at_once))
  done
  say "$runs runs in $native_seconds seconds, and all of them were fine."
}

title "A bounded queue: one mutex, two condition variables, and a flag that says 'closed'"
sed -n '/Nothing if the queue is empty/,/^  }/p; /The flag is atomic/,/^  }/p' bounded_queue.cc

title "Test it the usual way: run it, again and again"
run_natively

title "Now with Ricercar: the same file, another compiler command, and a search"
show c++ -std=c++20 bounded_queue.cc -o bounded_queue
status=0
show run ./bounded_queue || status=$?
[ $status = 1 ] || { say "Ricercar should have found a bug, but ended with status $status."; exit 1; }

title "Every replay of that schedule shows the bug again"
status=0
show replay --times 100 ricercar-out/bug-1.json || status=$?
[ $status = 1 ] || { say "The replay ended with status $status."; exit 1; }

title "The fixed twin: close() takes the lock before it sets the flag"
show c++ -std=c++20 bounded_queue_fixed.cc -o bounded_queue_fixed
show run ./bounded_queue_fixed

title "Go on from here"
say "  cd $folder && export PATH=$(dirname "$tool"):\$PATH"
say "  ricercar replay --gdb ricercar-out/bug-1.json    stop in gdb just before the bug"
say "  ricercar run --strategy pb:bound=2 ./bounded_queue_fixed    search another way"
say "  docs/guide/getting-started.md    use it on your own code"
