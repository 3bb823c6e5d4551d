#!/bin/sh
# must_not_compile.sh INCLUDE_FOLDER FOLDER: no file of the folder compiles, with either compiler,
# and both say the sentence of its first line.
set -eu
include=$1 folder=$2
status=0
for file in "$folder"/*.cc; do
  says=$(sed -n '1s,^// says: ,,p' "$file")
  [ -n "$says" ] || { echo "$file does not begin with what it says"; exit 1; }
  for compiler in g++ clang++; do
    if output=$($compiler -std=c++20 -fsyntax-only -I"$include" "$file" 2>&1); then
      echo "$compiler compiles $file"
      status=1
    elif ! printf '%s' "$output" | grep -qF "$says"; then
      echo "$compiler does not say '$says' for $file:"
      printf '%s\n' "$output" | head -5
      status=1
    fi
  done
done
exit $status
